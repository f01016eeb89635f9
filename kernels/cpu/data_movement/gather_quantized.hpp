// Gather from block-quantized data: only what is gathered is dequantized.
#pragma once

#include <cstdint>
#include <span>

#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// Elements as codes of a table, and a scale for each block along one axis.
struct QuantizedData {
  std::span<const std::int64_t> shape;  ///< in elements
  std::int64_t gather_axis = 0;
  std::int64_t quantize_axis = 0;
  std::int64_t block_size = 0;
  int bits = 4;                  ///< 4, 2 or 8; the first code of a byte is in its low bits
  const float* table = nullptr;  ///< the value of each code
  const std::uint8_t* codes = nullptr;
  /// The strides of a block's scale along each axis; 0 where one scale is shared.
  std::span<const std::int64_t> scale_strides;
  const float* scales = nullptr;
  const std::uint8_t* zeros = nullptr;  ///< codes, packed row by row; null: none
  std::int64_t zero_row_codes = 0;      ///< along the last axis, filled up to whole bytes
};

/// out = (table[code] - table[zero point]) * scale, for outer × indices × inner elements. An index
/// below 0 counts from the end; one outside the axis gives zeros.
template <typename Index>
void gather_quantized(const QuantizedData& data, std::span<const Index> indices, float* out,
                      Workers& workers);

}  // namespace ortool::cpu
