// Weight-only microkernel in integers for AMX: a block of two panels is unpacked once for all rows,
// and sixteen rows are multiplied by it at a time; the sums of the rows before are scaled
// meanwhile.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/gemm/weight_only/int8_microkernel.hpp"

#define ORTOOL_ISA amx
#include "kernels/cpu/isa/amx_tiles.inc"

namespace ortool::cpu::amx {
namespace {

constexpr int64_t line = 64;
constexpr int64_t step_bytes = 64;  ///< of a row, per tile
constexpr int64_t pair_columns = 2 * int8_panel_columns;
constexpr int64_t min_tiled_block = 32;
constexpr int64_t code_bytes = int8_max_tiled_block * int8_panel_columns;

inline __m512i masked(__m512i packed, int shift, int mask) {
  return _mm512_and_si512(_mm512_srli_epi32(packed, static_cast<unsigned>(shift)),
                          _mm512_set1_epi8(static_cast<char>(mask)));
}

/// Whether the codes are made signed by subtracting the zero points, so that terms are not needed.
template <int bits>
constexpr bool subtracts_zeros = bits < 8;

/// All whole groups of sixteen rows by a pair of panels.
template <int bits>
class PairProduct {
 public:
  PairProduct(const Int8BlockTask& task, int64_t rows)
      : task_(task),
        rows_(rows),
        codes_{task.scratch, task.scratch + code_bytes},
        sums_(reinterpret_cast<float*>(task.scratch + 2 * code_bytes)) {}

  void run() {
    const Int8PanelLayout& layout = task_.layout;
    TileShapes shapes;
    if (layout.block_size < step_bytes) {
      const int width = static_cast<int>(layout.block_size);
      shapes.set(4, tile_rows, width);
      shapes.set(6, width / 4, tile_row_bytes);
      shapes.set(7, width / 4, tile_row_bytes);
    }
    take_tiles(shapes);
    memset(sums_, 0, static_cast<size_t>(rows_ * pair_columns) * sizeof(float));
    for (int64_t block = 0; block < layout.blocks; ++block) {
      unpack(block, 0);
      unpack(block, 1);
      if (layout.block_size <= step_bytes) {
        load_tile<6>(codes_[0], line);
        load_tile<7>(codes_[1], line);
      }
      for (int64_t row = 0; row < rows_; row += tile_rows) multiply_group(block, row);
    }
    release_tiles();
    while (finished_ < begun_) finish_group();
    write();
  }

 private:
  const uint8_t* panel_at(int64_t index) const {
    return task_.panel + index * task_.layout.bytes();
  }

  /// Writes the codes of a panel's block as bytes, a quad of each column after the other.
  void unpack(int64_t block, int64_t index) {
    const Int8PanelLayout& layout = task_.layout;
    const uint8_t* zeros = panel_at(index) + layout.scale_bytes();
    const uint8_t* from = zeros + layout.zero_bytes() + block * layout.block_code_bytes();
    uint8_t* to = codes_[index];
    __m512i zero = _mm512_set1_epi8(1 << (bits - 1) & 127);
    if (subtracts_zeros<bits> && layout.has_zeros != 0) {
      const __m512i one = _mm512_maskz_cvtepu8_epi32(
          0xFFFF,
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(zeros + block * int8_panel_columns)));
      zero = _mm512_mullo_epi32(one, _mm512_set1_epi32(0x01010101));
    }
    for (int64_t i = 0; i < layout.block_code_bytes(); i += line) {
      _mm_prefetch(reinterpret_cast<const char*>(from + i + 1024), _MM_HINT_T0);
      const __m512i packed = _mm512_loadu_si512(from + i);
#pragma GCC unroll 4
      for (int shift = 0; shift < 8; shift += bits, to += line) {
        __m512i codes = packed;
        if (subtracts_zeros<bits>)
          codes = _mm512_sub_epi8(masked(packed, shift, (1 << bits) - 1), zero);
        _mm512_storeu_si512(to, codes);
      }
    }
  }

  void add_products() {
    if constexpr (subtracts_zeros<bits>) {
      add_signed_signed<0, 4, 6>();
      add_signed_signed<1, 4, 7>();
    } else {
      add_signed_unsigned<0, 4, 6>();
      add_signed_unsigned<1, 4, 7>();
    }
  }

  void multiply_group(int64_t block, int64_t row) {
    const int64_t size = task_.layout.block_size;
    const int8_t* a = task_.a.codes + row * task_.a.stride + block * size;
    zero_tile<0>();
    zero_tile<1>();
    for (int64_t k = 0; k < size; k += step_bytes) {
      load_tile<4>(a + k, task_.a.stride);
      if (size > step_bytes) {
        load_tile<6>(codes_[0] + k / 4 * line, line);
        load_tile<7>(codes_[1] + k / 4 * line, line);
      }
      add_products();
    }
    Group& group = groups_[begun_ % most_groups];
    group.block = block;
    group.row = row;
    store_tile<0>(group.made, pair_columns * 4);
    store_tile<1>(group.made + int8_panel_columns, pair_columns * 4);
    ++begun_;
    if (begun_ - finished_ == most_groups) finish_group();
  }

  /// Scales and adds the sums of the group that has waited longest, which are in the cache by now.
  void finish_group() {
    const Group& group = groups_[finished_ % most_groups];
    ++finished_;
    const Scaling left = scaling_of(group.block, 0);
    const Scaling right = scaling_of(group.block, 1);
    const int64_t first = group.block * task_.a.count + group.row;
    const int32_t* made = group.made;
    float* sums = sums_ + group.row * pair_columns;
#pragma GCC unroll 4
    for (int64_t row = 0; row < tile_rows; ++row, made += pair_columns, sums += pair_columns) {
      const __m512 scale = _mm512_set1_ps(task_.a.scales[first + row]);
      const __m512i term =
          _mm512_set1_epi32(subtracts_zeros<bits> ? 0 : task_.a.terms[first + row]);
      add_scaled(made, scale, term, left, sums);
      add_scaled(made + int8_panel_columns, scale, term, right, sums + int8_panel_columns);
    }
  }

  /// Scales and zero points of a panel's columns, the latter as words like those of terms.
  struct Scaling {
    __m512 scale;
    __m512i zero;
  };

  Scaling scaling_of(int64_t block, int64_t index) const {
    const Int8PanelLayout& layout = task_.layout;
    const int64_t place = block * int8_panel_columns;
    const uint8_t* panel = panel_at(index);
    Scaling scaling = {_mm512_loadu_ps(panel + place * 4), _mm512_setzero_si512()};
    if (subtracts_zeros<bits> || layout.has_zeros == 0) return scaling;
    const uint8_t* zeros = panel + layout.scale_bytes() + place;
    scaling.zero = _mm512_maskz_cvtepu8_epi32(
        0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(zeros)));
    scaling.zero = _mm512_or_si512(scaling.zero, _mm512_slli_epi32(scaling.zero, 23));
    return scaling;
  }

  inline void add_scaled(const int32_t* made, __m512 scale, __m512i term, const Scaling& scaling,
                         float* sums) const {
    __m512i sum = _mm512_loadu_si512(made);
    if (!subtracts_zeros<bits>) {
      sum = task_.layout.has_zeros != 0 ? _mm512_dpwssd_epi32(sum, scaling.zero, term)
                                        : _mm512_add_epi32(sum, term);
    }
    const __m512 both = _mm512_mul_ps(scale, scaling.scale);
    const __m512 part = _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(0xFFFF, sum), both);
    _mm512_storeu_ps(sums, _mm512_add_ps(_mm512_loadu_ps(sums), part));
  }

  void write() const {
    const int64_t columns = task_.columns < pair_columns ? task_.columns : pair_columns;
    for (int64_t row = 0; row < rows_; ++row) {
      memcpy(task_.out + row * task_.out_stride, sums_ + row * pair_columns,
             static_cast<size_t>(columns) * sizeof(float));
    }
  }

  /// Sums of sixteen rows that await their scales.
  struct Group {
    alignas(64) int32_t made[tile_rows * pair_columns];
    int64_t block;
    int64_t row;
  };
  static constexpr int64_t most_groups = 3;

  const Int8BlockTask& task_;
  int64_t rows_;
  int64_t begun_ = 0;
  int64_t finished_ = 0;
  uint8_t* codes_[2];
  float* sums_;
  Group groups_[most_groups];
};

void multiply_pair(const Int8BlockTask& task, int64_t rows) {
  if (task.layout.bits == 4) return PairProduct<4>(task, rows).run();
  if (task.layout.bits == 8) return PairProduct<8>(task, rows).run();
  PairProduct<2>(task, rows).run();
}

void multiply_int8_tiles(const Int8BlockTask& given) {
  const Int8PanelLayout& layout = given.layout;
  const bool is_tiled =
      layout.block_size >= min_tiled_block && layout.block_size <= int8_max_tiled_block;
  const int64_t rows = is_tiled ? given.rows / tile_rows * tile_rows : 0;
  Int8BlockTask task = given;
  task.rows = rows;
  while (rows > 0 && task.panels >= 2) {
    multiply_pair(task, rows);
    task.panel += 2 * layout.bytes();
    task.panels -= 2;
    task.out += pair_columns;
    task.columns -= pair_columns;
  }
  if (rows > 0 && task.panels > 0) vnni::int8_block_functions.multiply(task);
  if (rows == given.rows) return;
  Int8BlockTask rest = given;
  rest.rows -= rows;
  rest.a = rest.a.from(rows);
  rest.out += rows * rest.out_stride;
  vnni::int8_block_functions.multiply(rest);
}

void quantize_int8_row(const Int8RowTask& task) {
  vnni::int8_block_functions.quantize(task);
}

}  // namespace

extern const Int8BlockFunctions int8_block_functions = {4, 16, multiply_int8_tiles,
                                                        quantize_int8_row};

}  // namespace ortool::cpu::amx
