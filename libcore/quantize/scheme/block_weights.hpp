// Blockwise weight quantization in the layout of MatMulNBits.
#pragma once

#include <cstdint>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

struct BlockOptions {
  int bits = 4;                  ///< 4 or 8
  std::int64_t block_size = 32;  ///< a power of two from 16 up
  /// Zero is the middle value (8 or 128); otherwise each block has a zero point.
  bool is_symmetric = true;
  /// The storage type of the scales: they are rounded to it before weights are quantized.
  DataType scale_type = DataType::float32;
};

/// The right operand [k, n] of a product in the layout of com.microsoft.MatMulNBits
/// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md): for each column
/// its blocks along k, unsigned values, the first in a byte's low bits.
struct BlockWeights {
  BlockOptions options;
  std::int64_t k = 0;
  std::int64_t n = 0;
  Tensor packed;       ///< uint8 [n, blocks, block_size * bits / 8]; zero points beyond k
  Tensor scales;       ///< float32 [n * blocks]
  Tensor zero_points;  ///< uint8 [n * ceil(blocks * bits / 8)]; empty when symmetric

  std::int64_t blocks() const { return (k + options.block_size - 1) / options.block_size; }
};

/// Quantizes a matrix [k, n] of any float type. Symmetric blocks map their largest magnitude to the
/// lowest or highest value, whichever gives the smaller error. Throws ErrorCode::invalid for NaN,
/// infinities, and tensors that are not matrices, and ErrorCode::unsupported for other options.
BlockWeights quantize_blocks(const Tensor& weights, const BlockOptions& options,
                             MemoryCap* cap = nullptr);

/// The dequantized weights: float32 [k, n].
Tensor dequantize_blocks(const BlockWeights& weights, MemoryCap* cap = nullptr);

}  // namespace ortool
