// Memory cap on tensor bytes, and buffers that count against it.
#include "libcore/base/memory/memory_cap.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"

using ortool::AlignedBuffer;
using ortool::Error;
using ortool::ErrorCode;
using ortool::MemoryCap;

TEST_CASE("A buffer counts against the cap while it lives") {
  MemoryCap cap(1000);
  {
    AlignedBuffer buffer(600, &cap);
    CHECK(cap.used_bytes() == 600);
    AlignedBuffer moved(std::move(buffer));
    CHECK(cap.used_bytes() == 600);
  }
  CHECK(cap.used_bytes() == 0);
  CHECK(cap.peak_bytes() == 600);
}

TEST_CASE("What passes the cap is refused by name and takes nothing") {
  MemoryCap cap(1000);
  const AlignedBuffer kept(900, &cap);
  try {
    AlignedBuffer(200, &cap, "the arena");
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::memory_limit);
    CHECK(error.message() == "the arena needs 200 bytes; 900 of the 1000 allowed are in use");
  }
  CHECK(cap.used_bytes() == 900);
}

TEST_CASE("A buffer that no system can give is an error, not a crash") {
  CHECK_THROWS_AS(AlignedBuffer(std::int64_t{1} << 60, nullptr), Error);
}

TEST_CASE("Buffers are aligned and may be read a vector past their end") {
  const AlignedBuffer buffer(7, nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % AlignedBuffer::alignment_bytes == 0);
}

TEST_CASE("Taken bytes are given back with what holds them") {
  MemoryCap cap(1000);
  {
    const ortool::MemoryReservation taken(&cap, 700, "a table");
    CHECK(cap.used_bytes() == 700);
    CHECK_THROWS_AS(ortool::MemoryReservation(&cap, 400, "another"), Error);
    CHECK(cap.used_bytes() == 700);
  }
  CHECK(cap.used_bytes() == 0);
  CHECK(ortool::MemoryReservation(nullptr, 1 << 20, "no cap").bytes() == 1 << 20);
}
