// Unpacked weights: columns are copied, packed and multiplied piece by piece.
#include "providers/cpu/gemm/unpacked_weights.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "kernels/cpu/types/fp16_bits.hpp"
#include "libcore/base/file/file.hpp"
#include "providers/cpu/support/float_constant.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t piece_elements = std::int64_t{1} << 20;
/// A multiple of every panel's width, so that all pieces but the last have whole panels; and more
/// columns than a product treats as narrow.
constexpr std::int64_t column_step = 384;

std::int64_t columns_at_a_time(std::int64_t k, std::int64_t n) {
  const std::int64_t steps = piece_elements / (std::max<std::int64_t>(k, 1) * column_step);
  return std::min(n, std::max<std::int64_t>(steps, 1) * column_step);
}

/// Columns of the piece that starts at `first`; a narrow remainder is merged into the last piece.
std::int64_t columns_from(std::int64_t first, std::int64_t n, std::int64_t most) {
  const std::int64_t left = n - first;
  return left < most + column_step ? left : most;
}

/// Size of a piece's copy, in whole cache lines.
std::int64_t column_bytes(std::int64_t k, std::int64_t columns) {
  return (bytes_of(DataType::float32, k * columns) + 63) / 64 * 64;
}

template <typename Half>
void widen(const std::byte* from, std::int64_t count, float* out) {
  std::array<Half, 1024> piece;
  constexpr auto most = static_cast<std::int64_t>(piece.size());
  for (std::int64_t at = 0; at < count; at += most) {
    const std::int64_t here = std::min(most, count - at);
    std::memcpy(piece.data(), from + at * static_cast<std::int64_t>(sizeof(Half)),
                static_cast<std::size_t>(here) * sizeof(Half));
    convert_to_float(piece.data(), out + at, here);
  }
}

void copy_floats(DataType type, const std::byte* from, std::int64_t count, float* out) {
  if (type == DataType::float16) {
    widen<Float16Bits>(from, count, out);
  } else if (type == DataType::bfloat16) {
    widen<BFloat16Bits>(from, count, out);
  } else {
    std::memcpy(out, from, static_cast<std::size_t>(count) * sizeof(float));
  }
}

}  // namespace

MatrixInPlace::MatrixInPlace(Tensor b, std::int64_t k, std::int64_t n, bool transposed,
                             GemmKind kind)
    : b_(std::move(b)),
      k_(k),
      n_(n),
      transposed_(transposed),
      kind_(kind),
      max_columns_(columns_at_a_time(k, n)) {
  ORTOOL_CHECK(is_float_like(b_.type()) && b_.element_count() == k * n);
}

std::int64_t MatrixInPlace::workspace_bytes(const GemmSizes& sizes) const {
  const std::int64_t columns = std::min(n_, max_columns_ + column_step);
  const GemmSizes piece{sizes.m, columns, k_};
  return column_bytes(k_, columns) + packed_b_bytes(k_, columns, kind_) +
         gemm_workspace_bytes(piece, kind_);
}

void MatrixInPlace::copy_columns(std::int64_t first, std::int64_t count, float* out,
                                 Workers& workers) const {
  const std::int64_t rows = transposed_ ? count : k_;
  const std::int64_t wanted = transposed_ ? k_ : count;
  const std::int64_t stride = transposed_ ? k_ : n_;
  const std::int64_t begin = transposed_ ? first * k_ : first;
  const auto place_of = [&](std::int64_t row) {
    return b_.bytes() + bytes_of(b_.type(), begin + row * stride);
  };
  // The row stride is the width of the whole matrix.
  const std::int64_t stretch = std::max<std::int64_t>(1, piece_elements / stride);
  constexpr std::int64_t grain = 16;
  for (std::int64_t at = 0; at < rows; at += stretch) {
    const std::int64_t end = std::min(rows, at + stretch);
    workers.parallel_ranges(end - at, grain, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t row = at + from; row < at + to; ++row)
        copy_floats(b_.type(), place_of(row), wanted, out + row * wanted);
    });
    const std::byte* last = place_of(end - 1) + bytes_of(b_.type(), wanted);
    drop_pages({place_of(at), static_cast<std::size_t>(last - place_of(at))});
  }
}

void MatrixInPlace::multiply(const GemmSizes& sizes, const StridedMatrix& a, float* c,
                             const Epilogue& epilogue, std::byte* workspace,
                             Workers& workers) const {
  for (std::int64_t first = 0; first < n_;) {
    const std::int64_t count = columns_from(first, n_, max_columns_);
    const std::int64_t bytes = packed_b_bytes(k_, count, kind_);
    const std::int64_t floats = column_bytes(k_, count);
    auto* const columns = reinterpret_cast<float*>(workspace);
    std::byte* const packed = workspace + floats;
    copy_columns(first, count, columns, workers);
    pack_b(k_, count, {columns, transposed_ ? k_ : count, transposed_}, kind_, packed, workers);
    gemm({sizes.m, count, k_}, a, packed, c + first, sizes.n, epilogue_at(epilogue, 0, first),
         kind_, workspace + floats + bytes, workers);
    first += count;
  }
}

}  // namespace ortool::cpu
