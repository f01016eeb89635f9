// An anonymous temporary file for data that is spilled to disk and read back through a mapping.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "libcore/base/file/descriptor.hpp"

namespace ortool {

/// Bytes in a mapped file.
struct MappedBytes {
  std::span<const std::byte> bytes;  ///< 64-byte aligned
  std::shared_ptr<const void> owner;
};

/// Grows by appending. No other process can open the file, and its space is freed once this object
/// and everything mapped from it are gone, even if the process crashes. Not thread-safe.
class AnonymousFile {
 public:
  /// Creates the file in `folder`; nothing if that is not possible.
  static std::optional<AnonymousFile> open(const std::string& folder);

  /// Appends the bytes and returns their mapping. Throws ErrorCode::write_failed when the disk is
  /// full.
  MappedBytes keep(std::span<const std::byte> bytes);

 private:
  AnonymousFile(Descriptor descriptor, std::string folder)
      : descriptor_(std::move(descriptor)), folder_(std::move(folder)) {}

  void write(std::span<const std::byte> bytes, std::int64_t offset) const;
  void map_window(std::int64_t min_bytes);

  Descriptor descriptor_;
  std::string folder_;
  std::int64_t end_ = 0;  ///< end of the written data
  /// The currently mapped part of the file; it may extend past the file's end.
  std::int64_t window_start_ = 0;
  std::span<const std::byte> window_;
  std::shared_ptr<const void> window_owner_;
};

}  // namespace ortool
