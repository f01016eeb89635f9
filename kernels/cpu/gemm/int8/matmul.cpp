// Int8 MatMul: packs the right operand, and chooses between packed quads and AMX tiles.
#include "kernels/cpu/gemm/int8/matmul.hpp"

#include <algorithm>

#include "kernels/cpu/gemm/int8/algorithms.hpp"
#include "kernels/cpu/gemm/int8/pack.hpp"
#include "kernels/cpu/gemm/int8/tiled_microkernel.hpp"
#include "kernels/cpu/isa/architecture.hpp"

namespace ortool::cpu {
namespace {

std::int64_t round_to_line(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

/// How columns are packed: panels of quads, `stored` of them per step.
struct PanelLayout {
  std::int64_t columns;
  std::int64_t lanes;  ///< the last panel is padded to a multiple of this
  std::int64_t steps;
  Int8PackDesc desc;
  bool has_starts = false;  ///< 128 times the sum of each column, behind the panels

  PanelLayout(std::int64_t k, std::uint8_t flip, Isa isa) {
    desc = {.flip = flip, .is_signed = true, .group = 4};
    if (isa >= Isa::amx) {
      columns = lanes = tile_panel_columns;
      steps = (k + tile_step - 1) / tile_step * (tile_step / 4);
      return;
    }
    const Int8GemmFunctions& tile = int8_gemm_functions(isa);
    desc = Int8PackDesc::of(tile, true, flip);
    columns = tile.max_columns;
    lanes = tile.lanes;
    steps = desc.steps(k);
    has_starts = tile.multiplies_signed;
  }

  std::int64_t stored(std::int64_t count) const { return (count + lanes - 1) / lanes * lanes; }
  std::int64_t words(std::int64_t n) const { return stored(n) * (steps + (has_starts ? 1 : 0)); }
};

void sum_columns(std::int64_t k, std::int64_t n, const Int8Matrix& b, std::int32_t* sums) {
  if (b.is_transposed) {
    for (std::int64_t column = 0; column < n; ++column)
      sums[column] = sum_signed_bytes(b.data + column * k, k, 1, b.flip);
    return;
  }
  std::fill_n(sums, n, 0);
  for (std::int64_t row = 0; row < k; ++row) {
    const std::uint8_t* from = b.data + row * n;
    for (std::int64_t column = 0; column < n; ++column) {
      sums[column] = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(sums[column]) +
          static_cast<std::uint32_t>(static_cast<std::int8_t>(from[column] ^ b.flip)));
    }
  }
}

/// The negated sum of each row's values, modulo 2^32.
void sum_rows(const Int8Rows& a, std::uint8_t flip, const Int8MatMulSizes& sizes, Isa isa,
              std::int32_t* sums, Workers& workers) {
  constexpr std::int64_t grain_bytes = 256 * 1024;
  const QuantizeFunctions& functions = quantize_functions(isa);
  // Read as signed, each value is 128 less than its flipped counterpart.
  const bool stays_signed = a.is_signed && flip == 0;
  const std::uint32_t less = stays_signed ? 128U * static_cast<std::uint32_t>(sizes.k) : 0;
  const std::int64_t grain =
      std::max<std::int64_t>(1, grain_bytes / std::max<std::int64_t>(1, sizes.k));
  workers.parallel_ranges(sizes.m, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const std::uint32_t sum =
          functions.sum(a.data + row * sizes.k, sizes.k, a.is_signed ? 128 : 0);
      sums[row] = static_cast<std::int32_t>(less - sum);
    }
  });
}

std::int64_t path_workspace_bytes(const Int8MatMulSizes& sizes, Isa isa) {
  return round_to_line(is_x86 && isa >= Isa::amx ? tile_matmul_workspace_bytes(sizes)
                                                 : word_matmul_workspace_bytes(sizes, isa));
}

}  // namespace

std::uint8_t row_flip(bool is_signed, Isa isa) {
  return is_signed && isa < Isa::amx ? 128 : 0;
}

std::int64_t packed_int8_matrix_bytes(std::int64_t k, std::int64_t n, Isa isa) {
  const PanelLayout panels(k, 0, isa);
  return round_to_line(panels.words(n) * 4);
}

void pack_int8_matrix(std::int64_t k, std::int64_t n, const Int8Matrix& b, Isa isa, std::byte* out,
                      std::int32_t* sums) {
  const PanelLayout panels(k, b.flip, isa);
  sum_columns(k, n, b, sums);
  const std::int64_t steps = panels.desc.steps(k);
  for (std::int64_t first = 0; first < n; first += panels.columns) {
    const std::int64_t columns = std::min<std::int64_t>(panels.columns, n - first);
    const std::int64_t stored = panels.stored(columns);
    std::int32_t* to = reinterpret_cast<std::int32_t*>(out) + first * panels.steps;
    if (b.is_transposed) {
      pack_int8_rows(b.data + first * k, k, columns, stored, k, panels.desc, to);
    } else {
      pack_int8_columns(b.data + first, n, columns, stored, k, panels.desc, to);
    }
    std::fill(to + steps * stored, to + panels.steps * stored, 0);
  }
  if (!panels.has_starts) return;
  auto* starts = reinterpret_cast<std::int32_t*>(out) + panels.stored(n) * panels.steps;
  for (std::int64_t column = 0; column < panels.stored(n); ++column)
    starts[column] = column < n ? times_128(sums[column]) : 0;
}

std::int64_t int8_matmul_workspace_bytes(const Int8MatMulSizes& sizes, Isa isa) {
  return path_workspace_bytes(sizes, isa) + round_to_line(sizes.m * 4);
}

void int8_matmul(const Int8MatMulSizes& sizes, const Int8Rows& a, const std::byte* packed_b,
                 const Int8MatMulZeros& zeros, void* out, const Epilogue& epilogue, Isa isa,
                 void* workspace, Workers& workers) {
  if (sizes.m <= 0 || sizes.n <= 0) return;
  auto* space = static_cast<std::byte*>(workspace);
  auto* row_sums = reinterpret_cast<std::int32_t*>(space + path_workspace_bytes(sizes, isa));
  if (zeros.columns != nullptr)
    sum_rows(a, row_flip(a.is_signed, isa), sizes, isa, row_sums, workers);
  const Int8MatMulCall call{sizes, a, packed_b, zeros, out, epilogue, isa, space, row_sums};
  if (is_x86 && isa >= Isa::amx) return tile_matmul(call, workers);
  word_matmul(call, workers);
}

}  // namespace ortool::cpu
