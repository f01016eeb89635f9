// Tests sums and products of bytes: each level gives the same bytes as the formula.
#include "kernels/cpu/byte_binary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/byte_rows.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes some_bytes(test::Numbers& numbers, std::int64_t count) {
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers.between(0, 255));
  return bytes;
}

float value_of(std::uint8_t byte, const ByteScale& scale) {
  return static_cast<float>((byte ^ scale.flip) - scale.zero_point) * scale.scale;
}

std::uint8_t expected_sum(std::uint8_t a, std::uint8_t b, const ByteBinaryScales& scales) {
  const float number = (value_of(a, scales.a) + value_of(b, scales.b)) / scales.out;
  const float inside = std::min(std::max(number, scales.range.low), scales.range.high);
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(std::nearbyint(inside)) +
                                   scales.range.zero_point);
}

TEST_CASE("sums of bytes are those of the formula on each level, near halves too") {
  test::Numbers numbers(3);
  for (int i = 0; i < 200; ++i) {
    const std::int64_t count = numbers.between(1, 2000);
    const Bytes a = some_bytes(numbers, count);
    const Bytes b = some_bytes(numbers, count);
    ByteBinaryScales scales;
    const bool is_signed = numbers.flip();
    const std::uint8_t flip = is_signed ? 128 : 0;
    scales.a = {flip, static_cast<std::int32_t>(numbers.between(0, 255)),
                numbers.floats(1, 0.001F, 0.2F)[0]};
    scales.b = {flip, static_cast<std::int32_t>(numbers.between(0, 255)),
                numbers.floats(1, 0.001F, 0.2F)[0]};
    // Powers of two give halves; a small one leaves the range and what fixed point can hold.
    const std::int64_t kind = numbers.between(0, 3);
    if (kind == 0) scales.a.scale = scales.b.scale = 0.125F;
    scales.out = kind == 1 ? 0.0001F : 0.25F;
    scales.range = is_signed ? ByteRange{-118.0F, 137.0F, -10} : ByteRange{-20.0F, 200.0F, 20};
    Bytes expected(a.size());
    for (std::size_t at = 0; at < a.size(); ++at) expected[at] = expected_sum(a[at], b[at], scales);
    const std::int64_t dims[] = {count};
    const BroadcastPlan plan = make_broadcast_plan(dims, dims);
    for (const Isa isa : test::levels_here()) {
      CAPTURE(isa_name(isa), i, kind);
      Workers workers;
      Bytes out(a.size());
      byte_binary(ByteBinary::add, a.data(), b.data(), out.data(), scales, plan, isa, workers);
      CHECK(out == expected);
      Bytes over = a;
      byte_binary(ByteBinary::add, over.data(), b.data(), over.data(), scales, plan, isa, workers);
      CHECK(over == expected);
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
