// Quantization and dequantization of whole tensors of any type, per tensor, per axis or per block.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/tensor/data_type.hpp"

namespace ortool::cpu {

/// Which scale applies to which element of a tensor of `outer` x `axis` x `inner` elements.
struct ScaleLayout {
  enum class Kind { single, along_axis, blocks };
  Kind kind = Kind::single;
  std::int64_t outer = 1;
  std::int64_t axis = 1;
  std::int64_t inner = 1;
  std::int64_t block = 1;  ///< consecutive indices of the axis that share a scale
};

/// Raw data of the tensors; `zero_points` may be null.
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

/// out = saturate(nearest(in / scale) + zero point), ties to even; the quotient is rounded to
/// `precision`. NaN counts as 0. For floating-point types of 8 bits or less: the quotient itself,
/// without the zero point; `saturate` as in FloatCast. Bit-identical on all instruction sets.
void quantize(const QuantizeOperands& operands, const ScaleLayout& layout, DataType precision,
              bool saturate, Isa isa, Workers& workers);

/// out = (in - zero point) * scale in float32, rounded to the output type.
void dequantize(const QuantizeOperands& operands, const ScaleLayout& layout, Isa isa,
                Workers& workers);

/// Quantizes to uint8 by the range of `in`, extended to include 0: scale = (max - min) / 255 (1 if
/// that is 0), zero point = nearest(-min / scale). NaN is ignored when computing the range.
void dynamic_quantize(const float* in, std::int64_t count, std::uint8_t* out, float* scale,
                      std::uint8_t* zero_point, Isa isa, Workers& workers);

}  // namespace ortool::cpu
