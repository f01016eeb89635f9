// Peak rates: the best of several short rounds of loops that do nothing else.
#include "tests/benchmark/peak_rates.hpp"

#include <cstdint>
// g++ 12 mistakes the undefined operand of AVX-512 intrinsics for an uninitialized variable.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#include <vector>

#include "kernels/cpu/gemm/bf16/gemm.hpp"
#include "kernels/cpu/gemm/bf16/peak.hpp"
#include "kernels/cpu/isa/roofline_probe.hpp"
#include "tests/benchmark/bench_support.hpp"

namespace ortool::cpu::bench {
namespace {

constexpr double round_seconds = 0.03;
constexpr std::int64_t rounds = 20000;
/// Independent sums that hide the latency of two units.
constexpr int chains = 12;

/// A loop over int8 products in registers.
struct Int8Loop {
  std::int32_t (*multiply)(std::int64_t rounds);
  double operations_per_round;
};

// Inline assembly keeps the compiler from computing equal sums once.
#define ORTOOL_OPAQUE(value) asm volatile("" : "+x"(value))

std::int32_t multiply_baseline(std::int64_t count) {
  __m128i sums[chains] = {};
  __m128i words = _mm_set1_epi16(3);
  for (std::int64_t round = 0; round < count; ++round) {
#pragma GCC unroll 12
    for (__m128i& sum : sums) {
      ORTOOL_OPAQUE(words);
      sum = _mm_add_epi32(sum, _mm_madd_epi16(words, words));
    }
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm_add_epi32(sums[0], sums[i]);
  return _mm_cvtsi128_si32(sums[0]);
}

__attribute__((target("avx2"))) std::int32_t multiply_avx2(std::int64_t count) {
  __m256i sums[chains] = {};
  __m256i bytes = _mm256_set1_epi8(3);
  const __m256i ones = _mm256_set1_epi16(1);
  for (std::int64_t round = 0; round < count; ++round) {
#pragma GCC unroll 12
    for (__m256i& sum : sums) {
      ORTOOL_OPAQUE(bytes);
      const __m256i pairs = _mm256_maddubs_epi16(bytes, bytes);
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
    }
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm256_add_epi32(sums[0], sums[i]);
  return _mm256_extract_epi32(sums[0], 0);
}

__attribute__((target("avx512f,avx512bw"))) std::int32_t multiply_avx512(std::int64_t count) {
  __m512i sums[chains] = {};
  __m512i bytes = _mm512_set1_epi8(3);
  const __m512i ones = _mm512_set1_epi16(1);
  for (std::int64_t round = 0; round < count; ++round) {
#pragma GCC unroll 12
    for (__m512i& sum : sums) {
      ORTOOL_OPAQUE(bytes);
      const __m512i pairs = _mm512_maddubs_epi16(bytes, bytes);
      sum = _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, ones));
    }
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm512_add_epi32(sums[0], sums[i]);
  return _mm_cvtsi128_si32(_mm512_castsi512_si128(sums[0]));
}

__attribute__((target("avx512f,avx512vnni"))) std::int32_t multiply_vnni(std::int64_t count) {
  __m512i sums[chains] = {};
  __m512i bytes = _mm512_set1_epi32(0x03030303);
  for (std::int64_t round = 0; round < count; ++round) {
#pragma GCC unroll 12
    for (__m512i& sum : sums) {
      ORTOOL_OPAQUE(bytes);
      sum = _mm512_dpbusd_epi32(sum, bytes, bytes);
    }
  }
  for (int i = 1; i < chains; ++i) sums[0] = _mm512_add_epi32(sums[0], sums[i]);
  return _mm_cvtsi128_si32(_mm512_castsi512_si128(sums[0]));
}

__attribute__((target("amx-tile,amx-int8"))) std::int32_t multiply_amx(std::int64_t count) {
  struct alignas(64) {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } const shapes;
  _tile_loadconfig(&shapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
  for (std::int64_t round = 0; round < count; ++round) {
    _tile_dpbusd(0, 4, 6);
    _tile_dpbusd(1, 4, 7);
    _tile_dpbusd(2, 5, 6);
    _tile_dpbusd(3, 5, 7);
  }
  alignas(64) std::int32_t sums[256];
  _tile_stored(0, sums, 64);
  _tile_release();
  return sums[0];
}

#undef ORTOOL_OPAQUE

Int8Loop int8_loop(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return {multiply_baseline, 2.0 * chains * 8};
    case Isa::avx2:
      return {multiply_avx2, 2.0 * chains * 32};
    case Isa::avx512:
      if (has_avx512_vnni()) return {multiply_vnni, 2.0 * chains * 64};
      return {multiply_avx512, 2.0 * chains * 64};
    case Isa::amx:
      break;
  }
  return {multiply_amx, 2.0 * 4 * 16 * 16 * 64};
}

}  // namespace

PeakRates measure_peak_rates(Isa isa) {
  PeakRates rates;
  const RooflineLoops& loops = roofline_loops(isa);
  volatile float float_sink = 0;
  const double float_seconds =
      best_seconds(round_seconds, [&] { float_sink = loops.multiply_add(rounds); });
  rates.float32_gflops = rounds * loops.flops_per_round / float_seconds * 1e-9;
  const Int8Loop int8 = int8_loop(isa);
  volatile std::int32_t int8_sink = 0;
  const double int8_seconds =
      best_seconds(round_seconds, [&] { int8_sink = int8.multiply(rounds); });
  rates.int8_gops = rounds * int8.operations_per_round / int8_seconds * 1e-9;
  if (has_bf16_gemm(isa)) rates.bf16_gflops = bf16_peak_gflops(isa);
  return rates;
}

double peak_bandwidth(Isa isa, std::int64_t bytes) {
  const RooflineLoops& loops = roofline_loops(isa);
  constexpr std::int64_t least = std::int64_t{16} << 10U;  // shorter loops are mostly overhead
  const std::int64_t count = std::max(bytes, least) / 3 / 4 / 64 * 64;
  std::vector<float> block(static_cast<std::size_t>(3 * count), 1.0F);
  float* const start = block.data();
  const double seconds = best_seconds(
      round_seconds, [&] { loops.add_blocks(start, start + count, count, start + 2 * count); });
  return static_cast<double>(12 * count) / seconds * 1e-9;
}

}  // namespace ortool::cpu::bench
