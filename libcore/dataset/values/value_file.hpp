// Values in files, by the file name's extension and the value's type.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "libcore/graph/graph.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/io/tensor_file.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// The extension in lower case with its dot, or empty.
std::string extension_of(std::string_view path);

bool is_tensor_extension(std::string_view extension);
bool is_picture_extension(std::string_view extension);

/// A file looked at, or what standard input held.
struct OpenValueFile {
  std::string path;       ///< "-" for standard input
  std::string extension;  ///< of standard input: as its first bytes tell
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// Opens the file at `path`, or reads standard input to its end for "-", which counts against
/// `cap`. Throws ErrorCode::invalid with the path in front, and ErrorCode::memory_limit.
OpenValueFile open_value_file(const std::string& path, MemoryCap& cap);

/// What a file's reader needs to know of the value that the tensor is for.
struct ValueFileOptions : TensorFileOptions {
  /// The value is for an input: an array in an archive that the input does not take is refused by
  /// its header, before it is unpacked.
  bool feeds_input = false;
};
ValueFileOptions file_options_for(const ValueType& type, MemoryCap& cap);

/// Reads a value of `type` that goes by `name` (in an .npz; the only array of one goes by any).
/// Sequences come from .pb (SequenceProto), .json and .npz, maps from .pb (MapProto) and .json,
/// optionals from .pb (OptionalProto), .json (null) and whatever their content comes from. Throws
/// with the path in front.
RunValue read_value_file(const OpenValueFile& file, const ValueType& type, std::string_view name,
                         const ValueFileOptions& options);

/// The value `key` of an archive: an array of that name, or the elements "key[0]", "key[1]" and so
/// on of a sequence; nothing when there is none. `fed` names the input that takes it and refuses
/// others by their header, empty for a value to compare with.
std::optional<RunValue> read_from_archive(const NpzFile& archive, const std::string& key,
                                          const ValueType& type, std::string_view fed,
                                          MemoryCap* cap);

}  // namespace ortool
