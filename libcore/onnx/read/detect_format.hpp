// Recognition of other file formats, for error messages about files that are not ONNX models.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ortool::onnx {

struct OtherFormat {
  std::string_view name;  ///< such as "a web page"; empty if not recognized
  std::string_view hint;
};

/// Recognizes formats whose first bytes cannot start an ONNX model.
OtherFormat detect_format(std::span<const std::byte> bytes);

/// Recognizes further formats of a file that is not an ONNX model, by its content or its name.
OtherFormat guess_format(std::span<const std::byte> bytes, std::string_view path);

/// A hint with the paths of a file and of its folder in place of the words FILE and FOLDER. A path
/// that a shell would not take as it is, or an empty one, is left out.
std::string fill_hint(std::string_view hint, std::string_view file, std::string_view folder);

/// Whether the beginning is text, which is unlikely for a damaged model.
bool looks_like_text(std::span<const std::byte> bytes);

}  // namespace ortool::onnx
