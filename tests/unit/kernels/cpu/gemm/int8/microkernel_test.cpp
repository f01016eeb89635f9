// Int8 microkernels: every tile that this processor can run, against reference sums.
#include "kernels/cpu/gemm/int8/microkernel.hpp"

#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/gemm/int8/pack.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

namespace ortool::cpu {
namespace {

std::vector<const Int8GemmFunctions*> variants_here() {
  const Int8GemmFunctions* variants[max_int8_variants];
  const int count = int8_gemm_variants(best_isa(), variants);
  return {variants, variants + count};
}

std::vector<std::uint8_t> random_bytes(test::RandomValues& numbers, std::int64_t count) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count));
  // Sums of pairs would saturate at the ends of the range.
  for (std::uint8_t& byte : bytes)
    byte = static_cast<std::uint8_t>(numbers.flip() ? numbers.between(0, 255)
                                                    : 127 + numbers.between(0, 1) * 128);
  return bytes;
}

/// The dot product of a row and a column of k bytes, one of them signed.
std::int32_t reference_sum(const std::uint8_t* row, const std::uint8_t* column, std::int64_t k,
                           bool is_row_signed) {
  std::int32_t sum = 0;
  for (std::int64_t i = 0; i < k; ++i) {
    const std::uint8_t u = is_row_signed ? column[i] : row[i];
    const auto s = static_cast<std::int8_t>(is_row_signed ? row[i] : column[i]);
    sum += std::int32_t{u} * s;
  }
  return sum;
}

/// 128 times the sum of each of `count` runs of k signed bytes.
std::vector<std::int32_t> starts_of(const std::vector<std::uint8_t>& bytes, std::int64_t count,
                                    std::int64_t k) {
  std::vector<std::int32_t> starts;
  for (std::int64_t i = 0; i < count; ++i)
    starts.push_back(128 * sum_signed_bytes(bytes.data() + i * k, k, 1, 0));
  return starts;
}

TEST_CASE("all tiles of byte matrices give the exact sums") {
  test::RandomValues numbers(11);
  for (const Int8GemmFunctions* functions : variants_here()) {
    for (const std::int64_t k : {0, 1, 3, 4, 7, 64, 131}) {
      for (std::int32_t rows = 1; rows <= functions->max_rows; ++rows) {
        for (std::int32_t vectors = 1; vectors * functions->lanes <= functions->max_columns;
             ++vectors) {
          for (const bool is_row_signed : {false, true}) {
            const std::int64_t columns = std::int64_t{vectors} * functions->lanes;
            const std::vector<std::uint8_t> a = random_bytes(numbers, rows * k);
            const std::vector<std::uint8_t> b = random_bytes(numbers, columns * k);
            const auto row_desc = Int8PackDesc::of(*functions, is_row_signed);
            const auto column_desc = Int8PackDesc::of(*functions, !is_row_signed);
            const std::int64_t steps = row_desc.steps(k);
            std::vector<std::int32_t> packed_a(static_cast<std::size_t>(steps * rows));
            std::vector<std::int32_t> packed_b(static_cast<std::size_t>(steps * columns));
            pack_int8_rows(a.data(), k, rows, rows, k, row_desc, packed_a.data());
            pack_int8_rows(b.data(), k, columns, columns, k, column_desc, packed_b.data());
            const std::vector<std::int32_t> starts =
                is_row_signed ? starts_of(a, rows, k) : starts_of(b, columns, k);
            std::vector<std::int32_t> sums(static_cast<std::size_t>(rows * columns));
            Int8Tile tile = {};
            tile.a = packed_a.data();
            tile.b = packed_b.data();
            tile.b_stride = columns;
            tile.steps = steps;
            tile.c = sums.data();
            tile.c_stride = columns;
            tile.rows = rows;
            tile.vectors = vectors;
            tile.starts = functions->multiplies_signed ? starts.data() : nullptr;
            (is_row_signed ? functions->signed_rows : functions->unsigned_rows)(tile);
            bool is_equal = true;
            for (std::int64_t i = 0; i < rows * columns; ++i) {
              is_equal =
                  is_equal && sums[static_cast<std::size_t>(i)] ==
                                  reference_sum(a.data() + i / columns * k,
                                                b.data() + i % columns * k, k, is_row_signed);
            }
            REQUIRE(is_equal);
          }
        }
      }
    }
  }
}

TEST_CASE("planes of bytes under small kernels give the exact sums") {
  test::RandomValues numbers(12);
  for (const Int8GemmFunctions* functions : variants_here()) {
    if (functions->plane == nullptr) continue;
    for (const std::int32_t stride : {1, 2, 3, 4}) {
      for (const std::int32_t dilation : {1, 2, 4}) {
        if (!is_small_window(stride, dilation, functions->group)) continue;
        for (const std::int64_t kernel : {1, 3, 5, 7}) {
          const std::int64_t out = numbers.between(1, 40);
          const std::int64_t rows = (out - 1) * stride + (kernel - 1) * dilation + 1;
          const std::vector<std::uint8_t> in = random_bytes(numbers, rows * rows + 512);
          const std::vector<std::uint8_t> weights = random_bytes(numbers, kernel * kernel);
          const Int8PackDesc desc{.is_signed = true, .group = functions->group};
          const std::int64_t words = desc.steps(kernel);
          std::vector<std::int32_t> packed(static_cast<std::size_t>(kernel * words));
          for (std::int64_t row = 0; row < kernel; ++row) {
            pack_int8_rows(weights.data() + row * kernel, kernel, 1, 1, kernel, desc,
                           packed.data() + row * words);
          }
          std::vector<std::int32_t> sums(static_cast<std::size_t>(out * out + functions->lanes));
          Int8Plane plane = {};
          plane.in = in.data();
          plane.in_stride = rows;
          plane.column_stride = plane.row_stride = stride;
          plane.column_dilation = plane.row_dilation = dilation;
          plane.kernel_rows = static_cast<std::int32_t>(kernel);
          plane.words = static_cast<std::int32_t>(words);
          plane.weights = packed.data();
          plane.out_rows = plane.out_columns = out;
          plane.sums = sums.data();
          functions->plane(plane);
          bool is_equal = true;
          for (std::int64_t i = 0; i < out * out; ++i) {
            std::int32_t sum = 0;
            for (std::int64_t at = 0; at < kernel * kernel; ++at) {
              const std::int64_t y = i / out * stride + at / kernel * dilation;
              const std::int64_t x = i % out * stride + at % kernel * dilation;
              sum += std::int32_t{in[static_cast<std::size_t>(y * rows + x)]} *
                     static_cast<std::int8_t>(weights[static_cast<std::size_t>(at)]);
            }
            is_equal = is_equal && sums[static_cast<std::size_t>(i)] == sum;
          }
          REQUIRE(is_equal);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ortool::cpu
