// Tensors in files, by the file name's extension.
#pragma once

#include <string>
#include <string_view>

#include "libcore/io/tensor_file.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// The extension in lower case with its dot, or empty.
std::string extension_of(std::string_view path);

bool is_tensor_extension(std::string_view extension);
bool is_picture_extension(std::string_view extension);

/// Reads .pb, .npz (by `name`, or the only array in it) and whatever load_tensor_file takes. Throws
/// with the path in front.
Tensor read_tensor_file(const std::string& path, std::string_view name,
                        const TensorFileOptions& options);

/// Writes "DIR/STEM.EXT" for "npy" or "pb" and returns the path.
std::string write_tensor_file(const std::string& folder, const std::string& stem,
                              std::string_view format, std::string_view name, const Tensor& tensor);

}  // namespace ortool
