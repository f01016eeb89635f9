// Anonymous files: stored bytes can be read back, and no file is visible.
#include "libcore/base/file/anonymous_file.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "tests/support/scratch_file.hpp"

using namespace ortool;

namespace {

std::vector<std::byte> pattern(std::size_t size, unsigned first) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(first + i * 7 % 251);
  return bytes;
}

bool is_equal(const MappedBytes& mapped, const std::vector<std::byte>& bytes) {
  return std::equal(mapped.bytes.begin(), mapped.bytes.end(), bytes.begin(), bytes.end());
}

}  // namespace

TEST_CASE("Bytes in a file without a name outlive it and leave no file behind") {
  const test::ScratchFile place("unused");
  const std::string folder = std::filesystem::path(place.path()).parent_path().string();
  std::vector<MappedBytes> kept;
  {
    std::optional<AnonymousFile> file = AnonymousFile::open(folder);
    REQUIRE(file);
    for (unsigned i = 0; i < 5; ++i) kept.push_back(file->keep(pattern(100000 + i, i)));
    REQUIRE(std::filesystem::is_empty(folder));
  }
  for (unsigned i = 0; i < 5; ++i) {
    REQUIRE(is_equal(kept[i], pattern(100000 + i, i)));
    REQUIRE(reinterpret_cast<std::uintptr_t>(kept[i].bytes.data()) % 64 == 0);
    // Their pages may be dropped at any time.
    REQUIRE(drop_pages(kept[i].bytes));
    REQUIRE(is_equal(kept[i], pattern(100000 + i, i)));
  }
}

TEST_CASE("A folder that does not exist holds no nameless file") {
  REQUIRE_FALSE(AnonymousFile::open("/nowhere/at/all"));
}
