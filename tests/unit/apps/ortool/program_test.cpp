// Tests of the choice of exit code, and of parsing option values.
#include "apps/ortool/program.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

TEST_CASE("of two exit codes the one that stands earlier in the order is told") {
  CHECK(ortool::graver_exit_code(2, 130) == 130);
  CHECK(ortool::graver_exit_code(124, 2) == 124);
  CHECK(ortool::graver_exit_code(1, 7) == 7);
  CHECK(ortool::graver_exit_code(4, 5) == 5);
  CHECK(ortool::graver_exit_code(0, 3) == 3);
  CHECK(ortool::graver_exit_code(0, 0) == 0);
}

TEST_CASE("sizes are read with their units") {
  ortool::OptionValues values;
  const auto size_of = [&](const char* text) {
    values.set("max-memory", {text});
    return values.size_bytes("max-memory", 0);
  };
  CHECK(size_of("4096") == 4096);
  CHECK(size_of("512MB") == 512'000'000);
  CHECK(size_of("1.5GiB") == 1'610'612'736);
  for (const char* text : {"", "MB", "-1", "1e30GB", "12 MB", "nan", "1,5GB"}) {
    INFO(text);
    CHECK_THROWS_AS(size_of(text), ortool::Error);
  }
}
