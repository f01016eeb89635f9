// Alignment of buffers.
#include "libcore/base/memory/aligned_buffer.hpp"

#include <cstring>
#include <utility>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

constexpr std::int64_t large_page = std::int64_t{2} << 20;

std::uintptr_t address(const AlignedBuffer& buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer.data());
}

TEST_CASE("Buffers begin at a vector, large ones at a large page") {
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{4096}, large_page - 1024}) {
    const AlignedBuffer buffer(bytes, nullptr);
    CHECK(address(buffer) % AlignedBuffer::alignment_bytes == 0);
  }
  for (const std::int64_t bytes : {large_page, 3 * large_page + 5}) {
    const AlignedBuffer buffer(bytes, nullptr);
    CHECK(address(buffer) % static_cast<std::uintptr_t>(large_page) == 0);
  }
}

TEST_CASE("All bytes of a large buffer may be written, and 64 behind it read") {
  const std::int64_t bytes = large_page + 3;
  AlignedBuffer buffer(bytes, nullptr);
  std::memset(buffer.data(), 7, static_cast<std::size_t>(bytes));
  CHECK(buffer.data()[bytes - 1] == std::byte{7});
  std::byte behind[64];
  std::memcpy(behind, buffer.data() + bytes, sizeof(behind));
  AlignedBuffer moved(std::move(buffer));
  CHECK(moved.data()[0] == std::byte{7});
}

}  // namespace
}  // namespace ortool
