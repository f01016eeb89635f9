// Matrix tiles: 16 x 16 elements that the threads of a warp multiply together, by tensor cores on
// the GPU. On the host, a warp is one step of a loop.
#pragma once

#include "providers/cuda/kernels/device_code.hpp"

#ifdef __CUDACC__
#include <mma.h>
#else
#include <stdlib.h>
#endif

#ifdef __CUDACC__
#define ORTOOL_SHARED_TILES(type, name, count) __shared__ __align__(32) type name[count]
#define ORTOOL_WARPS(block, warp)                                                             \
  for (int warp = static_cast<int>(threadIdx.x) / warp_threads, ortool_once = 1; ortool_once; \
       ortool_once = 0, __syncthreads())
#else
#define ORTOOL_SHARED_TILES(type, name, count) \
  alignas(32) static thread_local type name[static_cast<unsigned>(count)]
#define ORTOOL_WARPS(block, warp)                                        \
  for (int ortool_place = 0, warp = (block).thread_at(0) / warp_threads; \
       ortool_place < (block).threads();                                 \
       ortool_place += warp_threads, warp = (block).thread_at(ortool_place) / warp_threads)
#endif

namespace ortool::cuda {

constexpr int warp_threads = 32;
constexpr int tile_width = 16;
/// Elements of 16 bits that are copied at once.
constexpr int half_vector = 8;

/// Copies 16 bytes at aligned addresses.
ORTOOL_DEVICE void copy_vector(const void* from, void* to) {
#ifdef __CUDACC__
  *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
#else
  constexpr uintptr_t alignment = 16;
  if (reinterpret_cast<uintptr_t>(from) % alignment != 0 ||
      reinterpret_cast<uintptr_t>(to) % alignment != 0)
    abort();
  memcpy(to, from, alignment);
#endif
}

/// What each warp keeps across barriers: its threads hold it together.
template <typename T, int count>
using PerWarp = PerThread<T, count>;

#ifdef __CUDACC__
template <typename Use, typename Element, typename... Order>
using TileElements =
    nvcuda::wmma::fragment<Use, tile_width, tile_width, tile_width, Element, Order...>;
using FirstElements = TileElements<nvcuda::wmma::matrix_a, __half, nvcuda::wmma::row_major>;
using SecondElements = TileElements<nvcuda::wmma::matrix_b, __half, nvcuda::wmma::row_major>;
using TransposedElements = TileElements<nvcuda::wmma::matrix_b, __half, nvcuda::wmma::col_major>;
using SumElements = TileElements<nvcuda::wmma::accumulator, float>;

template <typename Elements>
ORTOOL_DEVICE void load_tile(Elements& to, const uint16_t* from, int stride) {
  nvcuda::wmma::load_matrix_sync(to, reinterpret_cast<const __half*>(from), stride);
}
#else
/// Elements by row and column, as they are multiplied.
struct TileElements {
  float at[16][16];
};
using FirstElements = TileElements;
using SecondElements = TileElements;
using TransposedElements = TileElements;
using SumElements = TileElements;

inline void load_tile(TileElements& to, const uint16_t* from, int stride) {
  for (int row = 0; row < tile_width; ++row) {
    for (int column = 0; column < tile_width; ++column)
      to.at[row][column] = float_of_half(from[row * stride + column]);
  }
}
#endif

/// Rows of the first matrix. Tiles are float16 in the block's memory, aligned to 32 bytes, with
/// rows `stride` elements apart, a multiple of 8.
struct FirstTile {
  FirstElements value;
  ORTOOL_DEVICE void load(const uint16_t* from, int stride) { load_tile(value, from, stride); }
};
struct SecondTile {
  SecondElements value;
  ORTOOL_DEVICE void load(const uint16_t* from, int stride) { load_tile(value, from, stride); }
};
/// Of a second matrix whose columns are rows in memory.
struct TransposedTile {
  TransposedElements value;
  ORTOOL_DEVICE void load(const uint16_t* from, int stride) {
#ifdef __CUDACC__
    load_tile(value, from, stride);
#else
    TileElements rows;
    load_tile(rows, from, stride);
    for (int row = 0; row < tile_width; ++row) {
      for (int column = 0; column < tile_width; ++column)
        value.at[column][row] = rows.at[row][column];
    }
#endif
  }
};
/// Sums of products in float32.
struct SumTile {
  SumElements value;
  ORTOOL_DEVICE void clear() {
#ifdef __CUDACC__
    nvcuda::wmma::fill_fragment(value, 0.0F);
#else
    memset(value.at, 0, sizeof(value.at));
#endif
  }
  template <typename Second>
  ORTOOL_DEVICE void add_product(const FirstTile& first, const Second& second) {
#ifdef __CUDACC__
    nvcuda::wmma::mma_sync(value, first.value, second.value, value);
#else
    for (int row = 0; row < tile_width; ++row) {
      for (int column = 0; column < tile_width; ++column) {
        for (int k = 0; k < tile_width; ++k)
          value.at[row][column] += first.value.at[row][k] * second.value.at[k][column];
      }
    }
#endif
  }
  ORTOOL_DEVICE void store(float* to, int stride) const {
#ifdef __CUDACC__
    nvcuda::wmma::store_matrix_sync(to, value, stride, nvcuda::wmma::mem_row_major);
#else
    for (int row = 0; row < tile_width; ++row) {
      for (int column = 0; column < tile_width; ++column)
        to[row * stride + column] = value.at[row][column];
    }
#endif
  }
};

}  // namespace ortool::cuda
