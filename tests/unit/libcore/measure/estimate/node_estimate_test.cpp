// Node estimate: what bounds kernels, and how devices compare.
#include "libcore/measure/estimate/node_estimate.hpp"

#include <catch2/catch.hpp>

using namespace ortool;

namespace {

Device board() {
  Device device;
  device.name = "board";
  device.cores = 4;
  device.clock_ghz = 1;
  device.vector_bits = 128;
  device.vector_pipes = 1;
  device.instructions_per_cycle = 1;
  device.isa = {"neon"};
  device.caches = {{32 << 10, 16, false}, {1 << 20, 8, true}};
  device.memory_gbytes_per_s = 4;
  device.memory_gbytes_per_s_per_core = 2;
  return device;
}

KernelWork product(double macs) {
  KernelWork work;
  work.macs = macs;
  work.depth = 1e6;
  work.bytes = 1000;
  return work;
}

}  // namespace

TEST_CASE("Int8 products gain what the instruction sets give") {
  Device device = board();
  CHECK(macs_per_cycle(device, false) == 4);
  CHECK(macs_per_cycle(device, true) == 4);
  device.isa = {"neon", "dotprod"};
  CHECK(macs_per_cycle(device, true) == 16);
  device.isa = {"neon", "dotprod", "i8mm"};
  CHECK(macs_per_cycle(device, true) == 32);
  device.vector_pipes = 2;
  CHECK(macs_per_cycle(device, true) == 64);
}

TEST_CASE("A large product takes somewhat longer than at the peak rate") {
  const KernelTime time = estimate_kernel(product(4e9), board(), 1, 0);
  CHECK(time.bound == Bound::compute);
  CHECK(time.seconds > 1);
  CHECK(time.seconds < 1.5);
}

TEST_CASE("Threads help large work up to the number of cores, and not tiny work") {
  const double one = estimate_kernel(product(4e9), board(), 1, 0).seconds;
  CHECK(estimate_kernel(product(4e9), board(), 4, 0).seconds == Approx(one / 4).epsilon(0.01));
  CHECK(estimate_kernel(product(4e9), board(), 64, 0).seconds ==
        estimate_kernel(product(4e9), board(), 4, 0).seconds);
  CHECK(estimate_kernel(product(100), board(), 4, 0).seconds ==
        estimate_kernel(product(100), board(), 1, 0).seconds);
  CHECK(estimate_kernel(product(100), board(), 1, 0).bound == Bound::overhead);
}

TEST_CASE("Traffic takes the bandwidth of the level that holds it") {
  KernelWork work;
  work.bytes = 512 << 10;
  CHECK(estimate_kernel(work, board(), 1, 0).bound == Bound::cache);
  work.bytes = 2e9;
  const KernelTime time = estimate_kernel(work, board(), 1, 0);
  CHECK(time.bound == Bound::memory);
  CHECK(time.seconds == Approx(1).epsilon(0.01));
  // Two cores reach all that the memory gives.
  CHECK(estimate_kernel(work, board(), 2, 0).seconds == Approx(0.5).epsilon(0.01));
  CHECK(estimate_kernel(work, board(), 4, 0).seconds == Approx(0.5).epsilon(0.01));
}

TEST_CASE("Constants come from memory if the model has more of them than the caches hold") {
  KernelWork work;
  work.bytes = 500e3;
  work.weight_bytes = 500e3;
  CHECK(estimate_kernel(work, board(), 1, 600e3).bound == Bound::cache);
  CHECK(estimate_kernel(work, board(), 1, 100e6).bound == Bound::memory);
}

TEST_CASE("Winograd's algorithm is assumed where it gains, and not for int8") {
  KernelWork work = product(1e9);
  work.channels = 64;
  const double direct = estimate_kernel(work, board(), 1, 0).seconds;
  work.winograd_channels = 64;
  work.winograd_elements = 1e5;
  CHECK(estimate_kernel(work, board(), 1, 0).seconds < direct / 3);
  work.winograd_elements = 1e9;
  CHECK(estimate_kernel(work, board(), 1, 0).seconds == direct);
  work.winograd_elements = 1e5;
  work.is_int8 = true;
  KernelWork plain = work;
  plain.winograd_channels = 0;
  CHECK(estimate_kernel(work, board(), 1, 0).seconds ==
        estimate_kernel(plain, board(), 1, 0).seconds);
}

TEST_CASE("Convolutions of few channels leave lanes idle") {
  KernelWork work = product(1e9);
  work.channels = 4;
  CHECK(estimate_kernel(work, board(), 1, 0).seconds >
        3 * estimate_kernel(product(1e9), board(), 1, 0).seconds);
}
