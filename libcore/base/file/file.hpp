// Memory-mapped files, streams read to memory, and small text files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ortool {

class MemoryCap;

/// The bytes of a regular file, mapped for reading. The mapping lives as long as `owner()` or a
/// copy of this object; mapping_guard.hpp handles files that are truncated meanwhile.
class MappedFile {
 public:
  /// No file and no bytes.
  MappedFile() = default;
  /// Maps the file at `path`, following symbolic links. Throws ErrorCode::invalid, starting with
  /// the path, if the file is missing, unreadable or not a regular file. It may be empty.
  static MappedFile open(const std::string& path);
  /// Same for an open descriptor, which stays owned by the caller; `name` denotes it in errors.
  static MappedFile from_descriptor(int descriptor, const std::string& name);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::int64_t size_bytes() const { return static_cast<std::int64_t>(bytes_.size()); }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

/// Releases the pages of mapped files that contain `bytes`, and those mapped along with them; they
/// are read again on the next access. For large data that has been read once. Does nothing and
/// returns false for bytes that are not from mapped files.
bool drop_pages(std::span<const std::byte> bytes) noexcept;

/// Reads a complete regular file ("-": standard input) as text. Throws ErrorCode::invalid above
/// `max_bytes` and in the cases of MappedFile::open, and ErrorCode::memory_limit when `cap` (may
/// be null) has too little left.
std::string read_text_file(const std::string& path, std::int64_t max_bytes,
                           MemoryCap* cap = nullptr);

/// The description of an errno value. Thread-safe.
std::string error_text(int number);

}  // namespace ortool
