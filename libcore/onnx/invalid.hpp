// Errors for model files that violate a rule of ONNX, each with the rule's id.
#pragma once

#include <string>
#include <utility>

#include "libcore/base/error.hpp"

namespace ortool::onnx {

inline Error invalid(std::string message, std::string hint, std::string id) {
  Error error(ErrorCode::invalid, std::move(message), std::move(hint));
  error.with_id(std::move(id));
  return error;
}

/// For data that no exporter writes.
inline Error damaged(std::string message, std::string id) {
  return invalid(std::move(message), "the file is damaged; export it again", std::move(id));
}

}  // namespace ortool::onnx
