// Weight-only microkernel for AVX-512: codes become floats by a table or a conversion, and the
// scale is applied to a block's sum; with few rows, several panels are processed together to have
// enough independent accumulators.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cpu/gemm/weight_only/microkernel.hpp"

namespace ortool::cpu::avx512 {
namespace {

constexpr int64_t lanes = 16;
/// Prefetch distance in bytes.
constexpr int64_t bytes_ahead = 1024;

/// The value of each 4-bit code: that of the task or relative to the middle one.
inline __m512 table_of_codes(const BlockPanelTask& task) {
  if (task.table != nullptr) return _mm512_loadu_ps(task.table);
  return _mm512_setr_ps(-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7);
}

inline __m512i widen(const uint8_t* from) {
  return _mm512_maskz_cvtepu8_epi32(0xFFFF,
                                    _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

inline __m512i widen_signed(const uint8_t* from) {
  return _mm512_maskz_cvtepi8_epi32(0xFFFF,
                                    _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

inline __m512 to_floats(__m512i params) {
  return _mm512_maskz_cvtepi32_ps(0xFFFF, params);
}

/// Sixteen columns' codes at one step of k, as floats relative to the middle code.
inline __m512 weights_of_bytes(const uint8_t* from) {
  return to_floats(widen_signed(from));
}

inline float sum_of(const float* from, int64_t count) {
  __m512 sum = _mm512_setzero_ps();
  for (int64_t i = 0; i < count; i += lanes) {
    const int64_t left = count - i;
    const auto mask = static_cast<__mmask16>(left >= lanes ? 0xFFFF : (1 << left) - 1);
    sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(mask, from + i));
  }
  return _mm512_mask_reduce_add_ps(0xFFFF, sum);
}

/// Accumulators of `rows` rows by `panels` panels.
template <int rows, int panels, int bits>
class Sums {
  using Tile = __m512[static_cast<size_t>(rows)][static_cast<size_t>(panels)];
  using Weights = __m512[static_cast<size_t>(panels)];

 public:
  explicit Sums(const BlockPanelTask& task) : task_(task), table_(table_of_codes(task)) {
    const int64_t params = static_cast<int64_t>(sizeof(float)) + task.has_zeros;
    header_ = lanes * params;
    const int64_t steps = 8 / bits;
    block_bytes_ = header_ + task.block_size / steps * lanes;
  }

  void run() {
    Tile sums;
    for (int row = 0; row < rows; ++row)
      for (int v = 0; v < panels; ++v) sums[row][v] = _mm512_setzero_ps();
    const uint8_t* from = task_.panel;
    for (int64_t first = 0; first < task_.k; first += task_.block_size) {
      const int64_t left = task_.k - first;
      const int64_t count = left < task_.block_size ? left : task_.block_size;
      add_block(from, first, count, sums);
      from += block_bytes_;
    }
    store(sums);
  }

 private:
  inline void add_block(const uint8_t* from, int64_t first, int64_t count, Tile& sums) const {
    Tile block;
#pragma GCC unroll 12
    for (int row = 0; row < rows; ++row)
#pragma GCC unroll 4
      for (int v = 0; v < panels; ++v) block[row][v] = _mm512_setzero_ps();
    const float* a = task_.a + first;
    const uint8_t* codes = from + header_;
    if constexpr (bits == 8) {
      for (int64_t i = 0; i < count; ++i) step_of_bytes(codes + i * lanes, a + i, block);
    } else {
      const __m512 table = table_;
      int64_t i = 0;
      for (; i + 1 < count; i += 2) step_of_pairs(codes + i / 2 * lanes, a + i, table, block);
      if (i < count) step_of_last(codes + i / 2 * lanes, a + i, table, block);
    }
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) {
      const uint8_t* params = from + v * task_.panel_stride;
      const __m512 scale = _mm512_loadu_ps(params);
      if (task_.has_zeros != 0) take_zeros(params + lanes * sizeof(float), a, count, v, block);
#pragma GCC unroll 12
      for (int row = 0; row < rows; ++row)
        sums[row][v] = _mm512_fmadd_ps(block[row][v], scale, sums[row][v]);
    }
  }

  inline void step_of_bytes(const uint8_t* codes, const float* a, Tile& block) const {
    Weights weights;
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) {
      const uint8_t* from = codes + v * task_.panel_stride;
      _mm_prefetch(reinterpret_cast<const char*>(from + bytes_ahead), _MM_HINT_T0);
      weights[v] = weights_of_bytes(from);
    }
    add(a, weights, block);
  }

  inline void step_of_pairs(const uint8_t* codes, const float* a, __m512 table, Tile& block) const {
    Weights low;
    Weights high;
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) {
      const uint8_t* from = codes + v * task_.panel_stride;
      _mm_prefetch(reinterpret_cast<const char*>(from + bytes_ahead), _MM_HINT_T0);
      const __m512i pairs = _mm512_maskz_cvtepu8_epi32(
          0xFFFF, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
      low[v] = _mm512_maskz_permutexvar_ps(0xFFFF, pairs, table);
      high[v] = _mm512_maskz_permutexvar_ps(0xFFFF, _mm512_srli_epi32(pairs, 4), table);
    }
    add(a, low, block);
    add(a + 1, high, block);
  }

  inline void step_of_last(const uint8_t* codes, const float* a, __m512 table, Tile& block) const {
    Weights low;
#pragma GCC unroll 4
    for (int v = 0; v < panels; ++v) {
      const __m512i pairs = _mm512_maskz_cvtepu8_epi32(
          0xFFFF,
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes + v * task_.panel_stride)));
      low[v] = _mm512_maskz_permutexvar_ps(0xFFFF, pairs, table);
    }
    add(a, low, block);
  }

  inline void add(const float* a, const Weights& weights, Tile& block) const {
#pragma GCC unroll 12
    for (int row = 0; row < rows; ++row) {
      const __m512 value = _mm512_set1_ps(a[row * task_.a_stride]);
#pragma GCC unroll 4
      for (int v = 0; v < panels; ++v)
        block[row][v] = _mm512_fmadd_ps(value, weights[v], block[row][v]);
    }
  }

  /// Σ a · (code - zero) equals Σ a · (code - middle) minus (zero - middle) · Σ a.
  inline void take_zeros(const uint8_t* zeros, const float* a, int64_t count, int v,
                         Tile& block) const {
    const __m512 beyond = to_floats(
        bits == 8 ? widen_signed(zeros) : _mm512_sub_epi32(widen(zeros), _mm512_set1_epi32(8)));
    for (int row = 0; row < rows; ++row) {
      const __m512 sum = _mm512_set1_ps(sum_of(a + row * task_.a_stride, count));
      block[row][v] = _mm512_fnmadd_ps(beyond, sum, block[row][v]);
    }
  }

  inline void store(const Tile& sums) const {
    for (int row = 0; row < rows; ++row) {
      for (int v = 0; v < panels; ++v) {
        const int64_t left = task_.columns - v * lanes;
        const auto mask = static_cast<__mmask16>(left >= lanes ? 0xFFFF : (1 << left) - 1);
        _mm512_mask_storeu_ps(task_.out + row * task_.out_stride + v * lanes, mask, sums[row][v]);
      }
    }
  }

  const BlockPanelTask& task_;
  const __m512 table_;
  int64_t header_;
  int64_t block_bytes_;
};

template <int rows, int panels>
void multiply_panels(const BlockPanelTask& task) {
  if (task.bits == 4) return Sums<rows, panels, 4>(task).run();
  Sums<rows, panels, 8>(task).run();
}

/// Processes `panels` panels at a time, then the remaining ones one by one.
template <int rows, int panels>
void multiply_rows(BlockPanelTask task) {
  while (task.panels > 0) {
    const int64_t done = task.panels >= panels ? panels : 1;
    done == 1 ? multiply_panels<rows, 1>(task) : multiply_panels<rows, panels>(task);
    task.panel += done * task.panel_stride;
    task.out += done * lanes;
    task.columns -= done * lanes;
    task.panels -= done;
  }
}

/// Repeatedly processes as many rows at once as possible.
void multiply(const BlockPanelTask& given) {
  BlockPanelTask task = given;
  while (task.rows > 0) {
    int64_t done = 1;
    if (task.rows >= 12) {
      multiply_rows<12, 1>(task);
      done = 12;
    } else if (task.rows >= 8) {
      multiply_rows<8, 1>(task);
      done = 8;
    } else if (task.rows >= 4) {
      multiply_rows<4, 2>(task);
      done = 4;
    } else if (task.rows >= 2) {
      multiply_rows<2, 4>(task);
      done = 2;
    } else {
      multiply_rows<1, 4>(task);
    }
    task.a += done * task.a_stride;
    task.out += done * task.out_stride;
    task.rows -= done;
  }
}

/// A range of steps of k within one block of one panel.
struct StepsOfBlock {
  const uint8_t* codes;  ///< at the block's first step
  int64_t first;
  int64_t last;
  __m512 scale;
  __m512i zero;
  __m512 table;  ///< of 4-bit codes
};

template <bool has_zeros>
float* unpack_bytes(const StepsOfBlock& steps, float* to, int64_t step) {
  for (int64_t i = steps.first; i < steps.last; ++i, to += step) {
    const uint8_t* from = steps.codes + i * lanes;
    __m512i code = widen_signed(from);
    if (has_zeros) code = _mm512_sub_epi32(code, steps.zero);
    _mm512_storeu_ps(to, _mm512_mul_ps(to_floats(code), steps.scale));
  }
  return to;
}

template <bool has_zeros>
float* unpack_pairs(const StepsOfBlock& steps, float* to, int64_t step) {
  const __m512 beyond = to_floats(_mm512_sub_epi32(steps.zero, _mm512_set1_epi32(8)));
  const auto write = [&](__m512i codes) {
    __m512 number = _mm512_maskz_permutexvar_ps(0xFFFF, codes, steps.table);
    if (has_zeros) number = _mm512_sub_ps(number, beyond);
    _mm512_storeu_ps(to, _mm512_mul_ps(number, steps.scale));
    to += step;
  };
  for (int64_t i = steps.first & ~int64_t{1}; i < steps.last; i += 2) {
    const uint8_t* from = steps.codes + i / 2 * lanes;
    const __m512i pairs = widen(from);
    if (i >= steps.first) write(pairs);
    if (i + 1 < steps.last) write(_mm512_srli_epi32(pairs, 4));
  }
  return to;
}

void unpack(const BlockPanelTask& task, int64_t first, int64_t count, float* to, int64_t step) {
  const bool has_zeros = task.has_zeros != 0;
  const int64_t header = lanes * (static_cast<int64_t>(sizeof(float)) + task.has_zeros);
  const int64_t block_bytes = header + task.block_size * task.bits / 8 * lanes;
  StepsOfBlock steps = {};
  steps.table = table_of_codes(task);
  for (int64_t at = first; at < first + count;) {
    const int64_t begin = at / task.block_size * task.block_size;
    const uint8_t* block = task.panel + begin / task.block_size * block_bytes;
    const int64_t end =
        begin + task.block_size < first + count ? begin + task.block_size : first + count;
    steps.codes = block + header;
    steps.first = at - begin;
    steps.last = end - begin;
    steps.scale = _mm512_loadu_ps(block);
    if (task.bits == 8) {
      if (has_zeros) steps.zero = widen_signed(block + lanes * sizeof(float));
      to = has_zeros ? unpack_bytes<true>(steps, to, step) : unpack_bytes<false>(steps, to, step);
    } else {
      if (has_zeros) steps.zero = widen(block + lanes * sizeof(float));
      to = has_zeros ? unpack_pairs<true>(steps, to, step) : unpack_pairs<false>(steps, to, step);
    }
    at = end;
  }
}

}  // namespace

extern const BlockRowFunctions block_row_functions = {4, 13, multiply, unpack};

}  // namespace ortool::cpu::avx512
