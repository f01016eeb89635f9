// GEMM with weights in 16 bits: a few rows at a time, for which they are widened in registers.
#include "kernels/cpu/gemm/fp16_weights/gemm.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/cpu/gemm/f32/skinny.hpp"
#include "kernels/cpu/gemm/fp16_weights/skinny.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"
#include "kernels/cpu/types/fp16_convert.hpp"
#include "libcore/base/error.hpp"

namespace ortool::cpu {
namespace {

/// Of the weights in float32: half of a usual L2 cache.
constexpr std::int64_t min_kept_bytes = std::int64_t{512} << 10U;
/// Rows multiplied at a time, which stay in a usual L2 cache with the columns of two panels.
constexpr std::int64_t chunk_rows = 96;

bool is_bfloat16(float value) {
  return (std::bit_cast<std::uint32_t>(value) & 0xffffU) == 0 && std::isfinite(value);
}

bool is_float16(float value) {
  const float narrow = to_float(to_float16(value));
  return std::bit_cast<std::uint32_t>(narrow) == std::bit_cast<std::uint32_t>(value) &&
         std::isfinite(value);
}

/// Reads no further than to the first value that does not hold, wherever the values lie: weights of
/// a mapped file need no alignment.
bool are_all(const Tensor& weights, bool (*holds)(float)) {
  constexpr std::int64_t most = 256;
  std::array<float, most> values;
  const std::int64_t count = weights.element_count();
  for (std::int64_t first = 0; first < count; first += most) {
    const auto here = static_cast<std::size_t>(std::min(most, count - first));
    std::memcpy(values.data(), weights.bytes() + first * float_bytes, here * sizeof(float));
    if (!std::all_of(values.begin(), values.begin() + here, holds)) return false;
  }
  return true;
}

void multiply_rows(const GemmSizes& sizes, const StridedMatrix& a, const std::uint16_t* b,
                   DataType type, float* c, std::int64_t c_stride, const Epilogue& epilogue,
                   Isa isa, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const Fp16SkinnyFunctions* skinny = fp16_skinny_functions(isa);
  ORTOOL_CHECK(skinny != nullptr);
  const bool is_half = type == DataType::float16;
  const auto pair = is_half ? skinny->pair_float16 : skinny->pair_bfloat16;
  const auto single = is_half ? skinny->single_float16 : skinny->single_bfloat16;
  const ColumnPanels panels = cut_columns(sizes.n, functions);
  // Tasks of as many bytes as in float32 would be twice as long.
  const std::int64_t grain =
      std::max<std::int64_t>(2, skinny_grain(sizes.k, 2 * panels.width) / panels.width);
  const std::int64_t groups = (sizes.m + max_fp16_skinny_rows - 1) / max_fp16_skinny_rows;
  workers.parallel_ranges(panels.count, grain, [&](std::int64_t begin, std::int64_t end) {
    Fp16SkinnyProduct product = {.a = a.data,
                                 .a_row_stride = a.transposed ? 1 : a.stride,
                                 .a_step = a.transposed ? a.stride : 1,
                                 .rows = 0,
                                 .b = nullptr,
                                 .k = sizes.k,
                                 .out = nullptr,
                                 .out_stride = c_stride};
    for (std::int64_t panel = begin; panel < end;) {
      const std::int64_t first = panels.first_column(panel);
      const bool is_pair = panel + 2 <= end && panels.columns_in(panel + 1) == panels.width;
      product.b = b + first * sizes.k;
      for (std::int64_t group = 0; group < groups; ++group) {
        const std::int64_t row = sizes.m * group / groups;
        product.a = a.data + row * product.a_row_stride;
        product.rows = static_cast<std::int32_t>(sizes.m * (group + 1) / groups - row);
        product.out = c + row * c_stride + first;
        if (is_pair) {
          pair(product);
        } else {
          single(product, panels.stored_in(panel), panels.columns_in(panel));
        }
      }
      panel += is_pair ? 2 : 1;
    }
    const std::int64_t first = panels.first_column(begin);
    const std::int64_t last = std::min(panels.first_column(end), sizes.n);
    const GemmTile tile = result_region(epilogue, c, c_stride, 0, sizes.m, first, last - first);
    finish_sums(tile, tile.c, c_stride, functions);
  });
}

}  // namespace

std::optional<DataType> lossless_fp16(const Tensor& weights) {
  const DataType type = weights.type();
  if (type == DataType::float16 || type == DataType::bfloat16) return type;
  if (type != DataType::float32) return std::nullopt;
  if (are_all(weights, is_bfloat16)) return DataType::bfloat16;
  if (are_all(weights, is_float16)) return DataType::float16;
  return std::nullopt;
}

bool keeps_fp16_weights(std::int64_t k, std::int64_t n, Isa isa) {
  return isa >= Isa::avx2 && n > 1 && k * n * float_bytes >= min_kept_bytes;
}

std::int64_t packed_fp16_b_bytes(std::int64_t k, std::int64_t n, Isa isa) {
  return (cut_columns(n, gemm_functions(isa)).stored * k * 2 + 63) / 64 * 64;
}

void pack_fp16_b(std::int64_t k, std::int64_t n, const StridedMatrix& b, DataType type, Isa isa,
                 std::uint16_t* out, Workers& workers) {
  const GemmFunctions& functions = gemm_functions(isa);
  const ColumnPanels panels = cut_columns(n, functions);
  const Fp16Functions& convert = fp16_functions(isa);
  const auto narrow =
      type == DataType::float16 ? convert.float_to_float16 : convert.float_to_bfloat16;
  const std::int64_t grain = std::max<std::int64_t>(1, 16 * 1024 / (panels.width * (k + 1)));
  workers.parallel_ranges(panels.count, grain, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> wide(static_cast<std::size_t>(panels.width * k));
    for (std::int64_t panel = begin; panel < end; ++panel) {
      const std::int64_t first = panels.first_column(panel);
      // At the place that pack_column_panel() expects of panel 0.
      ColumnPanels one = panels;
      one.columns = panels.columns_in(panel);
      one.stored = panels.stored_in(panel);
      one.count = 1;
      StridedMatrix part = b;
      part.data += b.transposed ? first * b.stride : first;
      pack_column_panel(one, 0, k, part, functions, wide.data());
      narrow(wide.data(), out + first * k, one.stored * k);
    }
  });
}

void fp16_gemm(const GemmSizes& sizes, const StridedMatrix& a, const std::uint16_t* packed_b,
               DataType type, float* c, std::int64_t c_stride, const Epilogue& epilogue, Isa isa,
               Workers& workers) {
  if (sizes.m <= 0 || sizes.n <= 0) return;
  for (std::int64_t first = 0; first < sizes.m; first += chunk_rows) {
    StridedMatrix a_here = a;
    a_here.data += first * (a.transposed ? 1 : a.stride);
    const std::int64_t rows = std::min(chunk_rows, sizes.m - first);
    multiply_rows({rows, sizes.n, sizes.k}, a_here, packed_b, type, c + first * c_stride, c_stride,
                  epilogue_at(epilogue, first, 0), isa, workers);
  }
}

}  // namespace ortool::cpu
