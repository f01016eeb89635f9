// Bytes that are put aside on the disk and read again through a mapping, in a file without a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "libcore/base/file/descriptor.hpp"

namespace ortool {

/// Bytes as they lie in a mapped file.
struct MappedBytes {
  std::span<const std::byte> bytes;  ///< aligned to 64
  std::shared_ptr<const void> owner;
};

/// Grows with what is put into it. Nobody else sees the file, and its room is free again once this
/// and all that was mapped from it are gone, however the process ends. One thread at a time.
class NamelessFile {
 public:
  /// In `folder`; nothing where no file can be made there.
  static std::optional<NamelessFile> open(const std::string& folder);

  /// Appends the bytes. Throws ErrorCode::write_failed where there is no room for them.
  MappedBytes keep(std::span<const std::byte> bytes);

 private:
  NamelessFile(Descriptor descriptor, std::string folder)
      : descriptor_(std::move(descriptor)), folder_(std::move(folder)) {}

  void write(std::span<const std::byte> bytes, std::int64_t offset) const;
  void map_window(std::int64_t least_bytes);

  Descriptor descriptor_;
  std::string folder_;
  std::int64_t end_ = 0;  ///< of what was written
  /// The part of the file that is mapped last; it may reach beyond the file's end.
  std::int64_t window_start_ = 0;
  std::span<const std::byte> window_;
  std::shared_ptr<const void> window_owner_;
};

}  // namespace ortool
