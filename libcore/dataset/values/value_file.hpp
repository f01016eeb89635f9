// Value files, read by file extension and value type.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "libcore/graph/node.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/io/tensor_file.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// The extension in lower case with its dot, or empty.
std::string extension_of(std::string_view path);

bool is_tensor_extension(std::string_view extension);

/// An opened file, or the content of standard input.
struct OpenValueFile {
  std::string path;       ///< "-" for standard input
  std::string extension;  ///< for standard input: derived from its first bytes
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Opens the file at `path`, or reads standard input to its end for "-", which counts against
/// `cap`. Throws ErrorCode::invalid, starting with the path, and ErrorCode::memory_limit.
OpenValueFile open_value_file(const std::string& path, MemoryCap& cap);

/// What a file's reader needs to know about the value that the tensor is for.
struct ValueFileOptions : TensorFileOptions {
  /// The value is for an input: an array of an archive that does not match the input is rejected by
  /// its header, before decompression.
  bool feeds_input = false;
};
ValueFileOptions file_options_for(const ValueType& type, MemoryCap& cap);

/// Reads a value of `type` named `name` (in an .npz; a single array matches any name). Sequences
/// come from .pb (SequenceProto), .json and .npz, maps from .pb (MapProto) and .json, optionals
/// from .pb (OptionalProto), .json (null) and the formats of their content. Errors start with the
/// path.
RunValue read_value_file(const OpenValueFile& file, const ValueType& type, std::string_view name,
                         const ValueFileOptions& options);

/// The value `key` of an archive: an array of that name, or the elements "key[0]", "key[1]" and so
/// on of a sequence; nothing when there is none. `fed` names the input for which arrays are checked
/// by their header, empty for a value to compare with.
std::optional<RunValue> read_from_archive(const NpzFile& archive, const std::string& key,
                                          const ValueType& type, std::string_view fed,
                                          MemoryCap* cap);

}  // namespace ortool
