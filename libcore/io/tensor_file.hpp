// Reads a tensor from a file of any supported format, chosen by the file's extension.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/io/image_tensor.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// What a reader may need to know about the tensor, from the user or from the model input.
struct TensorFileOptions {
  /// For .raw and .json, and the element type of the input for an image.
  std::optional<DataType> type;
  /// For .raw; for images and text the input's dimensions, with -1 for unknown ones.
  std::vector<std::int64_t> dimensions;
  std::optional<ImageOptions> image;
  MemoryCap* cap = nullptr;
};

/// A file's bytes and their owner.
struct TensorFileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Reads .npy, .npz with a single array, .json (nested arrays), .raw, .txt (one string in each
/// line), .wav, and images (is_image_extension()). Throws ErrorCode::invalid or unsupported,
/// starting with the path. Nothing is allocated for sizes that the file cannot contain.
Tensor load_tensor_file(const std::string& path, const TensorFileOptions& options = {});
/// Same for bytes in the format given by `extension`; not for .npz.
Tensor read_tensor_bytes(std::string_view extension, const TensorFileBytes& file,
                         const TensorFileOptions& options = {});
/// The extension that matches the first bytes: .npy, .npz, .wav, that of an image, .json, or .pb.
std::string_view extension_for_bytes(std::span<const std::byte> bytes);

/// Parses nested arrays of numbers, bools or strings; all rows must have the same length. The
/// strings "nan", "inf" and "-inf" are accepted as numbers. Without `type`: int64, or float32 if a
/// number has a decimal point or exponent, bool or string.
Tensor parse_json_tensor(std::string_view text, std::optional<DataType> type = std::nullopt,
                         MemoryCap* cap = nullptr);

/// The lines of a text, without line ends, as strings of shape [lines], or of shape [] or [1] if
/// `dimensions` says so.
Tensor parse_text_tensor(std::string_view text, const std::vector<std::int64_t>& dimensions = {});

}  // namespace ortool
