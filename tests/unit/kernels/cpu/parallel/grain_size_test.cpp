// Task grain: work is split into a few equal tasks, and short work is not split.
#include "kernels/cpu/parallel/grain_size.hpp"

#include <catch2/catch.hpp>

namespace ortool::cpu {
namespace {

TEST_CASE("more work is never cut into fewer tasks, and always into a power of two of them") {
  std::int64_t last = 1;
  for (double nanoseconds = 100; nanoseconds < 1e9; nanoseconds *= 1.3) {
    const std::int64_t tasks = task_count(nanoseconds);
    CHECK(tasks >= last);
    CHECK((tasks & (tasks - 1)) == 0);
    last = tasks;
  }
  CHECK(task_count(1000) == 1);
  CHECK(last == 128);
}

TEST_CASE("numbers in a row are cut into equal parts of whole lines, none of them large") {
  for (const std::int64_t count : {0, 1, 1000, 38400, 100000, 1234567, 100000000}) {
    const std::int64_t grain = elementwise_grain_size(count);
    CHECK(grain % 64 == 0);
    CHECK(grain > 0);
    CHECK(grain <= 32768);
  }
  CHECK(elementwise_grain_size(1000) >= 1000);
  CHECK(elementwise_grain_size(38400) == 19200);
}

TEST_CASE("items that take long are given to tasks one by one, short ones together") {
  CHECK(grain_size(16, 1e8) == 1);
  CHECK(grain_size(100, 1000) == 100);
  CHECK(grain_size(100, 8000) == 50);
  CHECK(grain_size(0, 0) == 1);
}

}  // namespace
}  // namespace ortool::cpu
