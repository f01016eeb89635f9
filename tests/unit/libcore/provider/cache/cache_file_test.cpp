// Cache files: what is written is found, and damage is found as well.
#include "libcore/provider/cache/cache_file.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "tests/support/scratch_file.hpp"

using ortool::CacheEntry;
using ortool::CacheFile;
using ortool::CacheKey;
using ortool::CacheWriter;
using ortool::Error;
using ortool::Workers;
using ortool::test::ScratchFile;

namespace {

std::vector<std::byte> filled_bytes(std::size_t count, int seed) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::byte>((i * 31 + static_cast<std::size_t>(seed)) >> 3U);
  return bytes;
}

const std::vector<std::size_t> entry_sizes = {0, 1, 64, 5000, (std::size_t{2} << 20) + 17};

void write_entries(const std::string& path) {
  CacheWriter writer(path);
  for (std::size_t i = 0; i < entry_sizes.size(); ++i) {
    writer.add(CacheKey::of(std::to_string(i)), {},
               filled_bytes(entry_sizes[i], static_cast<int>(i)));
  }
  writer.commit(nullptr);
}

bool all_intact(const CacheFile& file) {
  std::vector<const CacheEntry*> entries;
  for (std::size_t i = 0; i < entry_sizes.size(); ++i)
    entries.push_back(file.find(CacheKey::of(std::to_string(i))));
  Workers alone;
  return file.is_intact(entries, alone);
}

}  // namespace

TEST_CASE("A cache file gives back what was added, aligned, with readable bytes behind it") {
  const ScratchFile target("a.ortcache");
  write_entries(target.path());
  const CacheFile file = CacheFile::open(target.path());
  for (std::size_t i = 0; i < entry_sizes.size(); ++i) {
    const CacheEntry* entry = file.find(CacheKey::of(std::to_string(i)));
    REQUIRE(entry != nullptr);
    const auto bytes = file.bytes(*entry);
    const auto expected = filled_bytes(entry_sizes[i], static_cast<int>(i));
    REQUIRE(bytes.size() == expected.size());
    CHECK(std::equal(bytes.begin(), bytes.end(), expected.begin()));
    CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64 == 0);
    CHECK(file.size_bytes() - entry->offset - entry->size_bytes >= 64);
    CHECK(file.find_content(bytes.data()) == entry);
  }
  CHECK(file.find(CacheKey::of("another")) == nullptr);
  CHECK(all_intact(file));
}

TEST_CASE("A flipped bit of an entry is found by its checksum") {
  const ScratchFile target("a.ortcache");
  write_entries(target.path());
  const std::string content = target.read();
  const CacheEntry last =
      *CacheFile::open(target.path()).find(CacheKey::of(std::to_string(entry_sizes.size() - 1)));
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{1} << 20, last.size_bytes - 1}) {
    std::string damaged = content;
    damaged[static_cast<std::size_t>(last.offset + at)] ^= 4;
    target.write(damaged);
    CHECK_FALSE(all_intact(CacheFile::open(target.path())));
  }
}

TEST_CASE("A cache file that is cut short, or whose index or footer changed, is not opened") {
  const ScratchFile target("a.ortcache");
  write_entries(target.path());
  const std::string content = target.read();
  const std::size_t tail = 48 + entry_sizes.size() * sizeof(CacheEntry);
  for (std::size_t at = content.size() - tail; at < content.size(); ++at) {
    std::string damaged = content;
    damaged[at] ^= 1;
    target.write(damaged);
    CHECK_THROWS_AS(CacheFile::open(target.path()), Error);
  }
  for (const std::size_t size : {content.size() - 1, content.size() / 2, std::size_t{10}}) {
    target.write(content.substr(0, size));
    CHECK_THROWS_AS(CacheFile::open(target.path()), Error);
  }
  target.write(content.substr(1));
  CHECK_THROWS_AS(CacheFile::open(target.path()), Error);
}

TEST_CASE("The first of two entries with the same key is kept") {
  const ScratchFile target("a.ortcache");
  CacheWriter writer(target.path());
  writer.add(CacheKey::of("k"), {}, filled_bytes(100, 1));
  writer.add(CacheKey::of("k"), {}, filled_bytes(200, 2));
  writer.commit(nullptr);
  const CacheFile file = CacheFile::open(target.path());
  CHECK(file.find(CacheKey::of("k"))->size_bytes == 100);
}

TEST_CASE("Keys are 32 digits, and differ with their texts") {
  CHECK(CacheKey::of("").to_text() == "e3b0c44298fc1c149afbf4c8996fb924");
  CHECK(CacheKey::of("a") != CacheKey::of("b"));
}
