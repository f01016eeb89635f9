// Quantising and dequantising whole tensors of every type, with scales for all, an axis or blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Which scale goes with which element of a tensor of `outer` x `axis` x `inner` elements.
struct ScaleLayout {
  enum class Kind { single, along_axis, blocks };
  Kind kind = Kind::single;
  std::int64_t outer = 1;
  std::int64_t axis = 1;
  std::int64_t inner = 1;
  std::int64_t block = 1;  ///< indices of the axis that share a scale
};

/// The tensors' bytes; `zero_points` may be null.
struct QuantizeOperands {
  DataType in_type;
  const std::byte* in;
  DataType scale_type;
  const std::byte* scales;
  DataType zero_point_type;
  const std::byte* zero_points;
  DataType out_type;
  std::byte* out;
};

/// out = saturate(nearest(in / scale) + zero point), halves to even; the quotient is rounded to
/// `precision`. NaN counts as 0. To floating types of 8 bits and less: the quotient itself, without
/// the zero point, and `saturate` as FloatCast has it. The same bits on every level.
void quantize(const QuantizeOperands& operands, const ScaleLayout& layout, DataType precision,
              bool saturate, Isa isa, Workers& workers);

/// out = (in - zero point) * scale in float32, rounded to the type of out.
void dequantize(const QuantizeOperands& operands, const ScaleLayout& layout, Isa isa,
                Workers& workers);

/// Quantises to uint8 by the range of `in` widened to hold 0: scale = (max - min) / 255 (1 where
/// that is 0), zero point = nearest(-min / scale). NaN does not count for the range.
void dynamic_quantize(const float* in, std::int64_t count, std::uint8_t* out, float* scale,
                      std::uint8_t* zero_point, Isa isa, Workers& workers);

}  // namespace ortool::cpu
