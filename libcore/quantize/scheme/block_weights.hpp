// Weights of a matrix product in blocks with a scale each, laid out as MatMulNBits takes them.
#pragma once

#include <cstdint>

#include "libcore/tensor/tensor.hpp"

namespace ortool {

struct BlockOptions {
  int bits = 4;                  ///< 4 or 8
  std::int64_t block_size = 32;  ///< a power of two from 16 up
  /// The middle level (8 or 128) is zero; otherwise each block has a zero point.
  bool is_symmetric = true;
  /// What the scales will be stored as: they are rounded to it before levels are chosen.
  DataType scale_type = DataType::float32;
};

/// The right operand of a product, [k, n], as com.microsoft.MatMulNBits holds it
/// (https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md): block after block
/// of each column along k, levels unsigned, the first in a byte's low bits.
struct BlockWeights {
  BlockOptions options;
  std::int64_t k = 0;
  std::int64_t n = 0;
  Tensor packed;       ///< uint8 [n, blocks, block_size * bits / 8]; behind k it holds zero points
  Tensor scales;       ///< float32 [n * blocks]
  Tensor zero_points;  ///< uint8 [n * ceil(blocks * bits / 8)]; empty when symmetric

  std::int64_t blocks() const { return (k + options.block_size - 1) / options.block_size; }
};

/// Quantises a matrix [k, n] of any float type. Symmetric blocks put their largest magnitude on the
/// lowest or highest level, whichever leaves less error. Throws ErrorCode::invalid for NaN,
/// infinities, and what is no matrix, and ErrorCode::unsupported for other options.
BlockWeights quantize_blocks(const Tensor& weights, const BlockOptions& options,
                             MemoryCap* cap = nullptr);

/// What the levels stand for: float32 [k, n].
Tensor dequantize_blocks(const BlockWeights& weights, MemoryCap* cap = nullptr);

}  // namespace ortool
