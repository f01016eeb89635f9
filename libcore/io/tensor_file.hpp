// A tensor from a file of any format, chosen by the file's extension.
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

/// What the reader may need to know of the tensor, from the user or from the input it feeds.
struct TensorFileOptions {
  /// Of .raw and .json, and of the input that a picture feeds.
  std::optional<DataType> type;
  /// Of .raw; -1 where not known: of the input that a picture or text feeds.
  std::vector<std::int64_t> dimensions;
  std::optional<ImageOptions> image;
  MemoryCap* cap = nullptr;
};

/// A file's bytes with what keeps them.
struct TensorFileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Reads .npy, .npz with a single array, .json (nested arrays), .raw, .txt (a string a line), .png,
/// .jpg, .jpeg, .ppm, .pgm. Throws ErrorCode::invalid or unsupported with the path in front.
/// Nothing is allocated for sizes that the file cannot hold.
Tensor load_tensor_file(const std::string& path, const TensorFileOptions& options = {});
/// The same for bytes that `extension` tells the format of, .npz aside.
Tensor read_tensor_bytes(std::string_view extension, const TensorFileBytes& file,
                         const TensorFileOptions& options = {});
/// The extension that fits the first bytes: .npy, .npz, .png, .jpg, .ppm, .json, or else .pb.
std::string_view extension_for_bytes(std::span<const std::byte> bytes);

/// Nested arrays of numbers, bools or strings, all rows of one length. "nan", "inf" and "-inf"
/// stand for themselves among numbers. Without `type`: int64, or float32 where a number has a point
/// or exponent, bool or string.
Tensor parse_json_tensor(std::string_view text, std::optional<DataType> type = std::nullopt,
                         MemoryCap* cap = nullptr);

/// The lines of a text, without their ends, as strings of shape [lines], or [] and [1] where
/// `dimensions` asks for that.
Tensor parse_text_tensor(std::string_view text, const std::vector<std::int64_t>& dimensions = {});

}  // namespace ortool
