// Checksums: every change of a word, a length or an order of words shows.
#include "libcore/base/checksum.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

using ortool::checksum_of;

namespace {

std::vector<std::byte> counted_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

}  // namespace

TEST_CASE("Every flipped bit changes the checksum") {
  for (const std::size_t count : {1U, 8U, 63U, 64U, 65U, 300U}) {
    std::vector<std::byte> bytes = counted_bytes(count);
    std::set<std::uint64_t> sums = {checksum_of(bytes)};
    for (std::size_t bit = 0; bit < 8 * count; ++bit) {
      const auto mask = static_cast<std::byte>(1U << bit % 8);
      bytes[bit / 8] ^= mask;
      sums.insert(checksum_of(bytes));
      bytes[bit / 8] ^= mask;
    }
    CHECK(sums.size() == 8 * count + 1);
  }
}

TEST_CASE("Checksums of zeros differ by their number") {
  std::set<std::uint64_t> sums;
  for (std::size_t count = 0; count <= 200; ++count)
    sums.insert(checksum_of(std::vector<std::byte>(count)));
  CHECK(sums.size() == 201);
}

TEST_CASE("Blocks that change places change the checksum") {
  std::vector<std::byte> bytes = counted_bytes(512);
  const std::uint64_t before = checksum_of(bytes);
  std::swap_ranges(bytes.begin(), bytes.begin() + 64, bytes.begin() + 128);
  CHECK(checksum_of(bytes) != before);
}
