// What a file that is no ONNX model seems to be instead.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ortool::onnx {

struct OtherFormat {
  std::string_view name;  ///< "a web page"; empty when nothing is recognised
  std::string_view hint;
};

/// Recognises formats whose first bytes cannot begin a model.
OtherFormat recognize_format(std::span<const std::byte> bytes);

/// Whether the beginning is text; a broken model hardly ever is.
bool looks_like_text(std::span<const std::byte> bytes);

}  // namespace ortool::onnx
