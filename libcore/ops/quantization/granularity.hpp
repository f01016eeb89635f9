// Scales and zero points: one for a tensor, one an index of an axis, or one a block along an axis.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// What QuantizeLinear and DequantizeLinear say of it.
struct Granularity {
  bool is_per_tensor = false;   ///< before version 13 there was nothing else
  std::int64_t axis = 1;        ///< has no effect where there is one scale
  std::int64_t block_size = 0;  ///< elements along the axis that share a scale; 0: no blocks

  void read(AttributeReader& attributes, int version);
  /// Throws ErrorCode::invalid when scales (input 1) and zero points (input 2) do not go with the
  /// tensor (input 0). `names` are ONNX's names of the two.
  void check(const InferContext& context, std::string_view scale,
             std::string_view zero_point) const;
};

/// Whether all that is known says that the shape has one element and a rank of at most 1.
bool is_single(const PartialShape& shape);

/// Throws ErrorCode::invalid when a scale and its zero point differ in shape (one element may be a
/// scalar or a vector).
void check_zero_point(const InferContext& context, std::int64_t scale, std::string_view scale_name,
                      std::int64_t zero_point, std::string_view zero_point_name);

/// Throws ErrorCode::invalid unless the input, if given, holds one element or a vector of `count`.
void check_one_or_vector(const InferContext& context, std::int64_t input, std::string_view name,
                         const Dimension& count);

/// Throws ErrorCode::invalid unless the input, if given, holds one element, `count` in a vector, or
/// has the matrix' shape with all but axis `kept` (-2: rows, -1: columns) being 1.
void check_matrix_parameter(const InferContext& context, std::int64_t input, std::string_view name,
                            const PartialShape& matrix, std::int64_t kept);

}  // namespace ortool
