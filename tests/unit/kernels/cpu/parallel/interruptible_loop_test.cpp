// Interruptible loops: every item is visited once, and a stop request ends the loop.
#include "kernels/cpu/parallel/interruptible_loop.hpp"

#include <catch2/catch.hpp>

using namespace ortool;

TEST_CASE("Pieces cover everything once and in order") {
  const Workers workers;
  for (const std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, cpu::piece_elements, 2 * cpu::piece_elements + 3}) {
    std::int64_t next = 0;
    cpu::interruptible_loop(count, workers, [&](std::int64_t begin, std::int64_t end) {
      CHECK(begin == next);
      CHECK(end > begin);
      next = end;
    });
    CHECK(next == count);
  }
}

TEST_CASE("A stop request ends a loop at its next piece") {
  StopToken stop;
  const Workers workers(&stop);
  std::int64_t pieces = 0;
  const auto run = [&] {
    cpu::interruptible_loop(10 * cpu::piece_elements, workers, [&](std::int64_t, std::int64_t) {
      if (++pieces == 3) stop.request(ErrorCode::interrupted);
    });
  };
  CHECK_THROWS_AS(run(), Error);
  CHECK(pieces == 3);
}
