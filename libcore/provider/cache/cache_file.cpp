// Form of session cache files: entries on page boundaries, their index, and a footer.
#include "libcore/provider/cache/cache_file.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

#include "libcore/base/checksum.hpp"
#include "libcore/base/error.hpp"
#include "libcore/base/sha256.hpp"

namespace ortool {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t small_alignment_bytes = 64;
/// Kernels may load a whole vector at the last element.
constexpr std::int64_t readable_bytes_behind = 64;
/// The unit of work when checksums are computed by several threads.
constexpr std::int64_t chunk_bytes = std::int64_t{1} << 20;

/// The last bytes of a cache file.
struct Footer {
  std::array<char, 8> name = {'o', 'r', 't', 'c', 'a', 'c', 'h', 'e'};
  std::uint64_t version = 1;
  std::int64_t index_offset = 0;
  std::int64_t entry_count = 0;
  std::uint64_t index_checksum = 0;
  std::uint64_t own_checksum = 0;  ///< of the members before it

  std::uint64_t checksum() const {
    return checksum_of(std::as_bytes(std::span(this, 1)).first(offsetof(Footer, own_checksum)));
  }
};
static_assert(std::is_trivially_copyable_v<Footer> && std::is_trivially_copyable_v<CacheEntry>);
static_assert(std::endian::native == std::endian::little);

Error unusable(std::string reason) {
  return Error(ErrorCode::invalid, std::move(reason)).with_id("cache.file");
}

std::int64_t chunks_of(std::int64_t bytes) {
  return (bytes + chunk_bytes - 1) / chunk_bytes;
}

std::uint64_t checksum_of_chunk(std::span<const std::byte> bytes, std::int64_t chunk) {
  const auto first = static_cast<std::size_t>(chunk * chunk_bytes);
  return checksum_of(
      bytes.subspan(first, std::min(bytes.size() - first, static_cast<std::size_t>(chunk_bytes))));
}

/// Maps a chunk's pages by one call of the system instead of many faults. Only large entries lie on
/// page boundaries; a system that refuses does no harm.
void map_pages(std::span<const std::byte> bytes, std::int64_t chunk) {
  const auto first = static_cast<std::size_t>(chunk * chunk_bytes);
  const std::size_t count = std::min(bytes.size() - first, static_cast<std::size_t>(chunk_bytes));
#ifdef MADV_POPULATE_READ
  ::madvise(const_cast<std::byte*>(bytes.data() + first), count, MADV_POPULATE_READ);
#else
  static_cast<void>(count);
#endif
}

/// The checksum of an entry: that of its chunks' checksums.
std::uint64_t checksum_of_chunks(std::span<const std::uint64_t> sums) {
  return checksum_of(std::as_bytes(sums));
}

std::uint64_t checksum_of_content(std::span<const std::byte> bytes) {
  std::vector<std::uint64_t> sums;
  const std::int64_t chunks = chunks_of(static_cast<std::int64_t>(bytes.size()));
  for (std::int64_t i = 0; i < chunks; ++i) sums.push_back(checksum_of_chunk(bytes, i));
  return checksum_of_chunks(sums);
}

bool by_key(const CacheEntry& a, const CacheEntry& b) {
  return a.key < b.key;
}

void check_entries(std::span<const CacheEntry> entries, std::int64_t end) {
  for (const CacheEntry& entry : entries) {
    const bool fits = entry.offset >= 0 && entry.size_bytes >= 0 &&
                      entry.offset % small_alignment_bytes == 0 && entry.offset <= end &&
                      entry.size_bytes <= end - entry.offset - readable_bytes_behind;
    if (!fits) throw unusable("an entry lies outside of the file");
  }
  if (!std::is_sorted(entries.begin(), entries.end(), by_key))
    throw unusable("its index is not in order");
}

}  // namespace

CacheKey CacheKey::of(std::string_view text) {
  Sha256 hash;
  hash.update(std::as_bytes(std::span(text.data(), text.size())));
  const std::string digits = hash.finish();
  CacheKey key;
  for (std::size_t i = 0; i < key.words.size(); ++i)
    std::from_chars(digits.data() + 16 * i, digits.data() + 16 * (i + 1), key.words[i], 16);
  return key;
}

std::string CacheKey::to_text() const {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : words) {
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[word >> shift & 15U];
  }
  return text;
}

CacheFile CacheFile::open(const std::string& path) {
  const MappedFile file = MappedFile::open(path);
  return in(file.bytes(), file.owner());
}

CacheFile CacheFile::in(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  CacheFile result;
  result.bytes_ = bytes;
  result.owner_ = std::move(owner);
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % page_bytes != 0)
    throw unusable("it is not aligned in memory");
  Footer footer;
  if (bytes.size() < sizeof footer) throw unusable("it is too short");
  std::memcpy(&footer, bytes.data() + bytes.size() - sizeof footer, sizeof footer);
  if (footer.name != Footer().name) throw unusable("it is cut short, or no session cache");
  if (footer.own_checksum != footer.checksum()) throw unusable("its footer is damaged");
  if (footer.version != Footer().version) throw unusable("it has another version of the format");
  const auto room = static_cast<std::int64_t>(bytes.size() - sizeof footer);
  const std::int64_t offset = footer.index_offset;
  if (offset < 0 || offset > room || footer.entry_count < 0 ||
      footer.entry_count != (room - offset) / std::int64_t{sizeof(CacheEntry)} ||
      (room - offset) % std::int64_t{sizeof(CacheEntry)} != 0)
    throw unusable("its index does not fit");
  const auto index =
      bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(room - offset));
  if (checksum_of(index) != footer.index_checksum) throw unusable("its index is damaged");
  result.entries_.resize(static_cast<std::size_t>(footer.entry_count));
  if (!index.empty()) std::memcpy(result.entries_.data(), index.data(), index.size());
  check_entries(result.entries_, offset);
  return result;
}

const CacheEntry* CacheFile::find(const CacheKey& key) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), key,
      [](const CacheEntry& entry, const CacheKey& wanted) { return entry.key < wanted; });
  return found != entries_.end() && found->key == key ? &*found : nullptr;
}

std::span<const std::byte> CacheFile::bytes(const CacheEntry& entry) const {
  return bytes_.subspan(static_cast<std::size_t>(entry.offset),
                        static_cast<std::size_t>(entry.size_bytes));
}

bool CacheFile::holds(const std::byte* address) const {
  return address >= bytes_.data() && address < bytes_.data() + bytes_.size();
}

const CacheEntry* CacheFile::find_content(const std::byte* address) const {
  if (!holds(address)) return nullptr;
  const std::int64_t offset = address - bytes_.data();
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const CacheEntry& each) { return each.offset == offset; });
  return found != entries_.end() ? &*found : nullptr;
}

bool CacheFile::is_intact(std::span<const CacheEntry* const> entries, Workers& workers) const {
  struct Chunk {
    std::size_t entry;
    std::int64_t number;
  };
  std::vector<Chunk> chunks;
  std::vector<std::vector<std::uint64_t>> sums(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::int64_t count = chunks_of(entries[i]->size_bytes);
    sums[i].resize(static_cast<std::size_t>(count));
    for (std::int64_t number = 0; number < count; ++number) chunks.push_back({i, number});
  }
  workers.parallel_for(static_cast<std::int64_t>(chunks.size()), [&](std::int64_t task) {
    const Chunk& chunk = chunks[static_cast<std::size_t>(task)];
    const std::span<const std::byte> content = bytes(*entries[chunk.entry]);
    map_pages(content, chunk.number);
    sums[chunk.entry][static_cast<std::size_t>(chunk.number)] =
        checksum_of_chunk(content, chunk.number);
  });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (checksum_of_chunks(sums[i]) != entries[i]->checksum) return false;
  }
  return true;
}

bool CacheFile::is_intact(const CacheEntry& entry) const {
  return checksum_of_content(bytes(entry)) == entry.checksum;
}

void CacheWriter::write(std::span<const std::byte> bytes) {
  file_.write(bytes);
  size_bytes_ += static_cast<std::int64_t>(bytes.size());
}

void CacheWriter::pad_to(std::int64_t alignment) {
  static constexpr std::array<std::byte, page_bytes> zeros = {};
  const std::int64_t rest = (alignment - size_bytes_ % alignment) % alignment;
  write(std::span(zeros).first(static_cast<std::size_t>(rest)));
}

void CacheWriter::add(const CacheKey& key, const CacheKey& content,
                      std::span<const std::byte> bytes) {
  const auto same = [&](const CacheEntry& entry) { return entry.key == key; };
  if (std::any_of(entries_.begin(), entries_.end(), same)) return;
  const auto size = static_cast<std::int64_t>(bytes.size());
  pad_to(size >= page_bytes ? page_bytes : small_alignment_bytes);
  entries_.push_back({key, content, size_bytes_, size, checksum_of_content(bytes)});
  write(bytes);
  static constexpr std::array<std::byte, readable_bytes_behind> behind = {};
  write(behind);
}

void CacheWriter::commit(const StopToken* stop) {
  pad_to(small_alignment_bytes);
  std::sort(entries_.begin(), entries_.end(), by_key);
  Footer footer;
  footer.index_offset = size_bytes_;
  footer.entry_count = static_cast<std::int64_t>(entries_.size());
  footer.index_checksum = checksum_of(std::as_bytes(std::span(entries_)));
  footer.own_checksum = footer.checksum();
  write(std::as_bytes(std::span(entries_)));
  write(std::as_bytes(std::span(&footer, 1)));
  file_.commit_unsynced(stop);
}

}  // namespace ortool
