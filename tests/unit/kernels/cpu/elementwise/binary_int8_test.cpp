// Tests int8 sums, products and lookup tables: every ISA level matches the formula exactly.
#include "kernels/cpu/elementwise/binary_int8.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/epilogue/quantize_rows.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes some_bytes(test::RandomValues& numbers, std::int64_t count) {
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(numbers.between(0, 255));
  return bytes;
}

float value_of(std::uint8_t byte, const Int8Scale& scale) {
  return static_cast<float>((byte ^ scale.flip) - scale.zero_point) * scale.scale;
}

std::uint8_t expected_byte(Int8BinaryOp op, std::uint8_t a, std::uint8_t b,
                           const Int8BinaryScales& scales) {
  const float left = value_of(a, scales.a);
  const float right = value_of(b, scales.b);
  const float number = (op == Int8BinaryOp::add ? left + right : left * right) / scales.out;
  const float inside = std::min(std::max(number, scales.range.low), scales.range.high);
  return static_cast<std::uint8_t>(static_cast<std::int32_t>(std::nearbyint(inside)) +
                                   scales.range.zero_point);
}

/// Scales of four kinds: powers of two give rounding ties; a small result scale exceeds the range
/// and what fixed point can hold.
Int8BinaryScales some_scales(test::RandomValues& numbers) {
  Int8BinaryScales scales;
  const bool is_signed = numbers.flip();
  const std::uint8_t flip = is_signed ? 128 : 0;
  scales.a = {flip, static_cast<std::int32_t>(numbers.between(0, 255)),
              numbers.floats(1, 0.001F, 0.2F)[0]};
  scales.b = {flip, static_cast<std::int32_t>(numbers.between(0, 255)),
              numbers.floats(1, 0.001F, 0.2F)[0]};
  const std::int64_t kind = numbers.between(0, 3);
  if (kind == 0) scales.a.scale = scales.b.scale = 0.125F;
  scales.out = kind == 1 ? 0.0001F : 0.25F;
  scales.range = is_signed ? Int8Range{-118.0F, 137.0F, -10} : Int8Range{-20.0F, 200.0F, 20};
  return scales;
}

TEST_CASE("sums and products of bytes are those of the formula on each level, near halves too") {
  test::RandomValues numbers(3);
  for (int i = 0; i < 400; ++i) {
    const Int8BinaryOp op = i % 2 == 0 ? Int8BinaryOp::add : Int8BinaryOp::multiply;
    const std::int64_t count = numbers.between(1, 2000);
    const Bytes a = some_bytes(numbers, count);
    const Bytes b = some_bytes(numbers, count);
    const Int8BinaryScales scales = some_scales(numbers);
    Bytes expected(a.size());
    for (std::size_t at = 0; at < a.size(); ++at)
      expected[at] = expected_byte(op, a[at], b[at], scales);
    const std::int64_t dims[] = {count};
    const BroadcastPlan plan = make_broadcast_plan(dims, dims);
    for (const Isa isa : test::isas_here()) {
      CAPTURE(isa_name(isa), i);
      Workers workers;
      Bytes out(a.size());
      int8_binary(op, a.data(), b.data(), out.data(), scales, plan, isa, workers);
      CHECK(out == expected);
      Bytes over = a;
      int8_binary(op, over.data(), b.data(), over.data(), scales, plan, isa, workers);
      CHECK(over == expected);
    }
  }
}

TEST_CASE(
    "all pairs of bytes give the formula at the bounds between which fixed point has an error") {
  test::RandomValues numbers(5);
  Bytes a(256 * 256);
  Bytes b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::uint8_t>(i % 256);
    b[i] = static_cast<std::uint8_t>(i / 256);
  }
  const std::int64_t dims[] = {static_cast<std::int64_t>(a.size())};
  const BroadcastPlan plan = make_broadcast_plan(dims, dims);
  // The largest operand of a sum, or product, in units of the result's scale.
  for (const float largest : {100.0F, 255.9F, 256.1F, 511.9F, 512.1F, 1023.9F, 1024.1F}) {
    for (const Int8BinaryOp op : {Int8BinaryOp::add, Int8BinaryOp::multiply}) {
      Int8BinaryScales scales = some_scales(numbers);
      const float left = 255.0F * scales.a.scale;
      const float right = 255.0F * scales.b.scale;
      scales.out = (op == Int8BinaryOp::add ? std::max(left, right) : left * right) / largest;
      Bytes expected(a.size());
      for (std::size_t i = 0; i < a.size(); ++i)
        expected[i] = expected_byte(op, a[i], b[i], scales);
      for (const Isa isa : test::isas_here()) {
        CAPTURE(isa_name(isa), largest, op == Int8BinaryOp::add);
        Workers workers;
        Bytes out(a.size());
        int8_binary(op, a.data(), b.data(), out.data(), scales, plan, isa, workers);
        CHECK(out == expected);
      }
    }
  }
}

TEST_CASE("a block of channels that counts for all pixels is either operand") {
  test::RandomValues numbers(4);
  for (int i = 0; i < 40; ++i) {
    const std::int64_t blocks = numbers.between(1, 5);
    const std::int64_t pixels = numbers.between(1, 3000);
    const std::int64_t channels = numbers.flip() ? 16 : numbers.between(1, 20);
    const Bytes whole = some_bytes(numbers, blocks * pixels * channels);
    const Bytes part = some_bytes(numbers, blocks * channels);
    const Int8BinaryScales scales = some_scales(numbers);
    const bool is_first = numbers.flip();
    const Bytes& a = is_first ? part : whole;
    const Bytes& b = is_first ? whole : part;
    Bytes expected(whole.size());
    for (std::size_t at = 0; at < whole.size(); ++at) {
      const auto place = static_cast<std::int64_t>(at);
      const std::int64_t block = place / (pixels * channels);
      const std::uint8_t other =
          part[static_cast<std::size_t>(block * channels + place % channels)];
      expected[at] = expected_byte(Int8BinaryOp::multiply, is_first ? other : whole[at],
                                   is_first ? whole[at] : other, scales);
    }
    const std::int64_t whole_dims[] = {blocks, pixels, channels};
    const std::int64_t part_dims[] = {blocks, 1, channels};
    const BroadcastPlan plan = is_first ? make_broadcast_plan(part_dims, whole_dims)
                                        : make_broadcast_plan(whole_dims, part_dims);
    for (const Isa isa : test::isas_here()) {
      CAPTURE(isa_name(isa), i);
      Workers workers;
      Bytes out(whole.size());
      int8_binary(Int8BinaryOp::multiply, a.data(), b.data(), out.data(), scales, plan, isa,
                  workers);
      CHECK(out == expected);
    }
  }
}

TEST_CASE("each level finds all bytes in a table") {
  test::RandomValues numbers(5);
  for (int i = 0; i < 50; ++i) {
    const Bytes table = some_bytes(numbers, 256);
    const Bytes in = some_bytes(numbers, numbers.between(0, 700));
    Bytes expected;
    for (const std::uint8_t byte : in) expected.push_back(table[byte]);
    for (const Isa isa : test::isas_here()) {
      CAPTURE(isa_name(isa), i);
      Workers workers;
      Bytes out = in;
      byte_lookup(out.data(), table.data(), static_cast<std::int64_t>(out.size()), out.data(), isa,
                  workers);
      CHECK(out == expected);
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
