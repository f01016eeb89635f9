// Files read by mapping them, streams read whole, and small text files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace ortool {

class MemoryCap;

/// A regular file's bytes, mapped for reading. The mapping lives as long as `owner()` or a copy of
/// this does; what cuts the file short meanwhile is dealt with in mapping_guard.hpp.
class MappedFile {
 public:
  /// No file, no bytes.
  MappedFile() = default;
  /// Maps the file at `path`, following symbolic links. Throws ErrorCode::invalid, with the path in
  /// front, for what is missing, may not be read, or is no regular file. An empty file is fine.
  static MappedFile open(const std::string& path);
  /// The same for an open descriptor, which stays the caller's; `name` stands for it in errors.
  static MappedFile from_descriptor(int descriptor, const std::string& name);

  std::span<const std::byte> bytes() const { return bytes_; }
  std::int64_t size_bytes() const { return static_cast<std::int64_t>(bytes_.size()); }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

/// Lets the pages of mapped files that hold `bytes`, and those that reading them may have brought
/// along, go: they are read again when next looked at.
/// For whoever has gone through many bytes once. Nothing happens to bytes of other memory, for
/// which it answers false.
bool drop_pages(std::span<const std::byte> bytes) noexcept;

/// So many zeros that take no memory, for as long as somebody holds them. Null when the system
/// refuses.
std::shared_ptr<const std::byte> map_zeros(std::size_t bytes) noexcept;

/// A whole regular file ("-": standard input) as text. Throws ErrorCode::invalid above `most_bytes`
/// and where MappedFile::open does, and ErrorCode::memory_limit where `cap` (may be null) has not
/// as much left.
std::string read_text_file(const std::string& path, std::int64_t most_bytes,
                           MemoryCap* cap = nullptr);

/// The text of an errno number. Safe in any thread.
std::string error_text(int number);

}  // namespace ortool
