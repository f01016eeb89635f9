// Tests packing of weights in mapped files: the layout of pack_b, and a file that stays readable.
#include "kernels/cpu/gemm/f32/pack_b_once.hpp"

#include <cstring>

#include <catch2/catch.hpp>

#include "libcore/base/file/file.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

TEST_CASE("Weights of a mapped file are packed like those in memory", "[gemm]") {
  const std::uint32_t seed = 20294;
  CAPTURE(seed);
  test::RandomValues numbers(seed);
  ThreadPool pool(2);
  for (const std::int64_t n : {1, 7, 239, 1000, 1021}) {
    const std::int64_t k = numbers.between(1000, 1300);
    CAPTURE(n, k);
    const std::vector<float> values = numbers.floats(k * n);
    const ortool::test::ScratchFile scratch(
        "weights", {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
    const MappedFile file = MappedFile::open(scratch.path());
    const auto* mapped = reinterpret_cast<const float*>(file.bytes().data());
    for (const Isa isa : test::isas_here()) {
      CAPTURE(isa_name(isa));
      for (const bool transposed : {false, true}) {
        for (const int threads : {1, 2}) {
          Workers workers(pool, threads);
          const std::int64_t bytes = packed_b_bytes(k, n, isa);
          AlignedBuffer expected = test::bytes(bytes);
          AlignedBuffer found = test::bytes(bytes);
          std::memset(expected.data(), 0, static_cast<std::size_t>(bytes));
          std::memset(found.data(), 0, static_cast<std::size_t>(bytes));
          const std::int64_t stride = transposed ? k : n;
          pack_b(k, n, {values.data(), stride, transposed}, isa, expected.as<float>(), workers);
          pack_b_once(k, n, {mapped, stride, transposed}, isa, found.as<float>(), workers);
          REQUIRE(std::memcmp(expected.data(), found.data(), static_cast<std::size_t>(bytes)) == 0);
        }
      }
    }
    CHECK(std::memcmp(mapped, values.data(), values.size() * sizeof(float)) == 0);
  }
}

}  // namespace
}  // namespace ortool::cpu
