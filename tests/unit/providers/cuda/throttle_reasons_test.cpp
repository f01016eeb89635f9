// Throttle reasons: NVML's bits in words.
#include "providers/cuda/device/throttle_reasons.hpp"

#include <catch2/catch.hpp>

using namespace ortool;

TEST_CASE("reasons of low GPU clocks are told in words") {
  using Reasons = std::vector<std::string>;
  CHECK(cuda::throttle_reasons(0).empty());
  CHECK(cuda::throttle_reasons(0x4) == Reasons{"power limit"});
  CHECK(cuda::throttle_reasons(0x8 | 0x40) ==
        Reasons{"hardware slowdown", "hardware thermal slowdown"});
  CHECK(cuda::throttle_reasons(0x1fe).size() == 8);
}

TEST_CASE("an idle GPU is not throttled, and reasons of later drivers are told by their bits") {
  CHECK(cuda::throttle_reasons(0x1).empty());
  CHECK(cuda::throttle_reasons(0x1 | 0x20 | 0x1400) ==
        std::vector<std::string>{"temperature", "reason 0x1400"});
}
