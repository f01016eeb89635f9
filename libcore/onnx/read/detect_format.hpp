// Recognition of other file formats, for error messages about files that are not ONNX models.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ortool::onnx {

struct OtherFormat {
  std::string_view name;  ///< such as "a web page"; empty if not recognized
  std::string_view hint;
};

/// Recognizes formats whose first bytes cannot start an ONNX model.
OtherFormat detect_format(std::span<const std::byte> bytes);

/// Whether the beginning is text, which is unlikely for a damaged model.
bool looks_like_text(std::span<const std::byte> bytes);

}  // namespace ortool::onnx
