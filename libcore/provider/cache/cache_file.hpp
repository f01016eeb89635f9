// Session cache file: derived constants by key, mapped at the next start.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool {

/// 128 bits of a SHA-256.
struct CacheKey {
  std::array<std::uint64_t, 2> words = {};

  /// The key of a text that tells everything on which the content depends.
  static CacheKey of(std::string_view text);
  std::string to_text() const;
  auto operator<=>(const CacheKey&) const = default;
};

/// One constant of a cache file.
struct CacheEntry {
  CacheKey key;
  CacheKey content;  ///< what identifies the content where other keys depend on it; zero: nothing
  std::int64_t offset = 0;
  std::int64_t size_bytes = 0;
  std::uint64_t checksum = 0;
};

/// A mapped cache file. Opening it checks form, version and index; the content of an entry is
/// checked by is_intact(), not before.
class CacheFile {
 public:
  /// Throws ErrorCode::invalid when the file is missing, of another form or version, cut short, or
  /// when its index is damaged.
  static CacheFile open(const std::string& path);
  /// The same for a cache file inside other memory, which `owner` keeps alive. Its alignment has to
  /// be that of a page.
  static CacheFile in(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  /// Null if there is none.
  const CacheEntry* find(const CacheKey& key) const;
  std::span<const std::byte> bytes(const CacheEntry& entry) const;
  const std::shared_ptr<const void>& owner() const { return owner_; }
  std::int64_t size_bytes() const { return static_cast<std::int64_t>(bytes_.size()); }
  bool holds(const std::byte* address) const;
  /// The entry whose content starts there; null if none does.
  const CacheEntry* find_content(const std::byte* address) const;
  /// Whether the content of all these entries has their checksums.
  bool is_intact(std::span<const CacheEntry* const> entries, Workers& workers) const;
  /// The same for one entry, by this thread.
  bool is_intact(const CacheEntry& entry) const;

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::vector<CacheEntry> entries_;  ///< by key
};

/// Writes a cache file, entry by entry, beside its final place. Errors are those of AtomicFile.
class CacheWriter {
 public:
  explicit CacheWriter(const std::string& path) : file_(path, OnLink::replace) {}

  /// `bytes` is written now. A key that is there already is left as it is.
  void add(const CacheKey& key, const CacheKey& content, std::span<const std::byte> bytes);
  bool is_empty() const { return entries_.empty(); }
  /// Renames the file to its final name. What a crash of the machine leaves of it is not intact.
  void commit(const StopToken* stop);

 private:
  void pad_to(std::int64_t alignment);
  void write(std::span<const std::byte> bytes);

  AtomicFile file_;
  std::int64_t size_bytes_ = 0;
  std::vector<CacheEntry> entries_;
};

}  // namespace ortool
