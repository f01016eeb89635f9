// Winograd transforms of int8 NCHW16c for AVX2: 16-bit tiles and weights, 32-bit sums.
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/cpu/conv/int8_nchwc/winograd_transform.hpp"

#define ORTOOL_ISA avx2
#include "kernels/cpu/conv/int8_nchwc/requantize_avx2.inc"

namespace ortool::cpu::avx2 {
namespace {

constexpr int64_t reach = winograd_int8_reach;
constexpr int64_t edge = winograd_int8_edge;
constexpr int64_t channels = 16;
constexpr int max_group_tiles = 6;

inline __m256i add16(__m256i a, __m256i b) {
  return _mm256_add_epi16(a, b);
}
inline __m256i subtract16(__m256i a, __m256i b) {
  return _mm256_sub_epi16(a, b);
}
inline __m256i times4(__m256i a) {
  return _mm256_slli_epi16(a, 2);
}

/// Transforms six pixels of a row or column.
inline void transform_pixels(const __m256i (&d)[6], __m256i (&t)[6]) {
  const __m256i even = subtract16(d[4], times4(d[2]));
  const __m256i odd = subtract16(d[3], times4(d[1]));
  const __m256i even_difference = subtract16(d[4], d[2]);
  const __m256i difference = subtract16(d[3], d[1]);
  const __m256i odd_difference = add16(difference, difference);
  t[0] = add16(subtract16(times4(d[0]), times4(d[2])), even_difference);
  t[1] = add16(even, odd);
  t[2] = subtract16(even, odd);
  t[3] = add16(even_difference, odd_difference);
  t[4] = subtract16(even_difference, odd_difference);
  t[5] = subtract16(subtract16(d[5], d[3]), times4(difference));
}

void transform_tile(const uint8_t* from, int64_t row_step, __m128i flip, int16_t* out,
                    int64_t product_step) {
  __m256i half[size_t{reach}][size_t{reach}];
#pragma GCC unroll 6
  for (int64_t j = 0; j < reach; ++j) {
    __m256i d[size_t{reach}];
#pragma GCC unroll 6
    for (int64_t i = 0; i < reach; ++i) {
      const auto* pixel = reinterpret_cast<const __m128i*>(from + i * row_step + j * channels);
      d[i] = _mm256_cvtepu8_epi16(_mm_xor_si128(_mm_loadu_si128(pixel), flip));
    }
    __m256i t[size_t{reach}];
    transform_pixels(d, t);
#pragma GCC unroll 6
    for (int64_t i = 0; i < reach; ++i) half[i][j] = t[i];
  }
#pragma GCC unroll 6
  for (int64_t i = 0; i < reach; ++i) {
    __m256i t[size_t{reach}];
    transform_pixels(half[i], t);
#pragma GCC unroll 6
    for (int64_t j = 0; j < reach; ++j) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + (reach * i + j) * product_step), t[j]);
    }
  }
}

/// Copies the pixels of a tile at (row, column), with padding outside the image.
void copy_tile(const WinogradInt8Input& input, int64_t row, int64_t column, uint8_t* to) {
  for (int64_t i = 0; i < reach; ++i) {
    for (int64_t j = 0; j < reach; ++j, to += channels) {
      const bool is_inside =
          row + i >= 0 && row + i < input.height && column + j >= 0 && column + j < input.width;
      if (is_inside) {
        memcpy(to, input.plane + ((row + i) * input.width + column + j) * channels,
               size_t{channels});
      } else {
        memset(to, input.fill, size_t{channels});
      }
    }
  }
}

void run_input(const WinogradInt8Input& input) {
  const __m128i flip = _mm_set1_epi8(static_cast<char>(input.flip));
  for (int64_t tile = 0; tile < input.tiles; ++tile) {
    const int64_t row = input.row;
    const int64_t column = input.column + tile * edge;
    const bool is_inside =
        row >= 0 && row + reach <= input.height && column >= 0 && column + reach <= input.width;
    int16_t* out = input.out + tile * channels;
    if (is_inside) {
      transform_tile(input.plane + (row * input.width + column) * channels, input.width * channels,
                     flip, out, input.product_step);
    } else {
      uint8_t copy[size_t{reach * reach * channels}];
      copy_tile(input, row, column, copy);
      transform_tile(copy, reach * channels, flip, out, input.product_step);
    }
  }
}

/// Adds a pair of 16-bit products to each 32-bit lane; inline assembly, as in add_words.
inline void add_pairs(__m256i& sums, __m256i values, const __m256i_u& weights) {
  __m256i products;
  __asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0"
          : "+x"(sums), "=&x"(products)
          : "x"(values), "m"(weights));
}

template <int tiles>
void multiply_group(const WinogradInt8Product& product, int64_t first) {
  constexpr int64_t pairs = channels / 2;
  PixelSums sums[size_t{tiles}];
#pragma GCC unroll 6
  for (int tile = 0; tile < tiles; ++tile)
    sums[tile] = {_mm256_setzero_si256(), _mm256_setzero_si256()};
  const auto* weights = reinterpret_cast<const __m256i_u*>(product.weights);
  const int16_t* plane = product.values + first * channels;
  for (int64_t i = 0; i < product.planes; ++i, plane += product.plane_step) {
    const int16_t* values = plane;
#pragma GCC unroll 1
    for (int64_t pair = 0; pair < pairs; ++pair, values += 2, weights += 2) {
#pragma GCC unroll 6
      for (int tile = 0; tile < tiles; ++tile) {
        int32_t two;
        memcpy(&two, values + tile * channels, sizeof two);
        const __m256i splat = _mm256_set1_epi32(two);
        add_pairs(sums[tile].low, splat, weights[0]);
        add_pairs(sums[tile].high, splat, weights[1]);
      }
    }
  }
#pragma GCC unroll 6
  for (int tile = 0; tile < tiles; ++tile) {
    auto* out = reinterpret_cast<__m256i*>(product.sums + (first + tile) * channels);
    _mm256_storeu_si256(out, sums[tile].low);
    _mm256_storeu_si256(out + 1, sums[tile].high);
  }
}

using MultiplyGroup = void (*)(const WinogradInt8Product& product, int64_t first);
constexpr MultiplyGroup multiply_groups[max_group_tiles] = {multiply_group<1>, multiply_group<2>,
                                                            multiply_group<3>, multiply_group<4>,
                                                            multiply_group<5>, multiply_group<6>};

void run_product(const WinogradInt8Product& product) {
  const int64_t groups = (product.tiles + max_group_tiles - 1) / max_group_tiles;
  for (int64_t group = 0; group < groups; ++group) {
    const int64_t first = product.tiles * group / groups;
    const int64_t count = product.tiles * (group + 1) / groups - first;
    multiply_groups[count - 1](product, first);
  }
}

inline __m256i add32(__m256i a, __m256i b) {
  return _mm256_add_epi32(a, b);
}
inline __m256i times6(__m256i a) {
  return add32(_mm256_slli_epi32(a, 2), _mm256_slli_epi32(a, 1));
}

/// Transforms six sums of a row or column into four, scaled by 3 and by 8, 4, 2 and 2.
inline void restore_sums(const __m256i (&m)[6], __m256i (&t)[4]) {
  const __m256i sum = add32(m[1], m[2]);
  const __m256i difference = _mm256_sub_epi32(m[1], m[2]);
  const __m256i far_sum = add32(m[3], m[4]);
  const __m256i far_difference = _mm256_sub_epi32(m[3], m[4]);
  t[0] = add32(times6(m[0]), add32(_mm256_slli_epi32(sum, 2), far_sum));
  t[1] = add32(add32(difference, difference), far_difference);
  t[2] = add32(sum, far_sum);
  t[3] = add32(add32(difference, times6(m[5])), add32(far_difference, far_difference));
}

/// Sums of eight channels for the 16 pixels of a tile.
template <__m256i PixelSums::*half>
inline void restore_half(const int32_t* from, int64_t product_step, __m256i offsets,
                         PixelSums (&sums)[4][4]) {
  constexpr int powers[] = {3, 2, 1, 1};
  // 9 times this is 1 modulo 2^32.
  const __m256i ninth = _mm256_set1_epi32(0x38E38E39);
  __m256i columns[4][size_t{reach}];
#pragma GCC unroll 6
  for (int64_t j = 0; j < reach; ++j) {
    __m256i m[size_t{reach}];
#pragma GCC unroll 6
    for (int64_t i = 0; i < reach; ++i) m[i] = load_words(from + (reach * i + j) * product_step);
    __m256i t[4];
    restore_sums(m, t);
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) columns[i][j] = t[i];
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    __m256i t[4];
    restore_sums(columns[i], t);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      const __m256i scaled = _mm256_mullo_epi32(t[j], ninth);
      sums[i][j].*half = add32(_mm256_srai_epi32(scaled, powers[i] + powers[j]), offsets);
    }
  }
}

template <int columns>
bool finish_row(const NchwcRequantizer& requantizer, const PixelSums* row, uint8_t* out,
                uint64_t* ties) {
  return finish_pixels<columns>(requantizer, row, 0, out, ties);
}

bool run_output(const WinogradInt8Output& output) {
  using FinishRow = bool (*)(const NchwcRequantizer&, const PixelSums*, uint8_t*, uint64_t*);
  constexpr FinishRow finish_rows[4] = {finish_row<1>, finish_row<2>, finish_row<3>, finish_row<4>};
  const NchwcRequantizer requantizer(output.epilogue.scales, output.epilogue.range);
  const __m256i low_offsets = load_words(output.epilogue.offsets);
  const __m256i high_offsets = load_words(output.epilogue.offsets + 8);
  bool has_ties = false;
  for (int64_t tile = 0; tile < output.tiles; ++tile) {
    PixelSums sums[4][4];
    const int32_t* from = output.sums + tile * channels;
    restore_half<&PixelSums::low>(from, output.product_step, low_offsets, sums);
    restore_half<&PixelSums::high>(from + 8, output.product_step, high_offsets, sums);
    const int64_t left = output.columns - tile * edge;
    const FinishRow finish = finish_rows[(left < edge ? left : edge) - 1];
    for (int64_t i = 0; i < edge; ++i) {
      uint64_t& ties = output.ties[tile * edge + i];
      ties = 0;
      if (i < output.rows) {
        has_ties |= finish(requantizer, sums[i],
                           output.y + i * output.row_step + tile * edge * channels, &ties);
      }
    }
  }
  return has_ties;
}

}  // namespace

const WinogradInt8Functions winograd_int8_functions = {
    .input = run_input, .product = run_product, .output = run_output};

}  // namespace ortool::cpu::avx2
