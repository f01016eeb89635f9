// File status: tells without reading whether a file may have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ortool {

/// What the system keeps of a regular file. Any write changes a time, and a program can set the
/// modification time, but not the change time.
struct FileStatus {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size_bytes = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileStatus&) const = default;
  std::string to_text() const;
  /// Whether the file is old enough that a later write must give it other times, whatever the
  /// resolution of the file system's clock.
  bool is_old() const;
};

/// A mapped file.
struct MappedPlace {
  FileStatus status;
  std::int64_t offset = 0;  ///< of the bytes that were asked for
};

/// The file that these bytes are mapped from; nothing for other memory, and if the system does not
/// tell.
std::optional<MappedPlace> file_of_mapping(std::span<const std::byte> bytes);

/// The SHA-256 of that file's content, read from the file rather than from the mapping so that no
/// page stays in memory. Nothing if it cannot be read completely.
std::optional<std::string> sha256_of_mapped_file(std::span<const std::byte> bytes);

}  // namespace ortool
