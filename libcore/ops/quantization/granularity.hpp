// Quantization granularity: per tensor, per axis, or blocked along an axis.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// The granularity attributes of QuantizeLinear and DequantizeLinear.
struct Granularity {
  bool is_per_tensor = false;   ///< before version 13, the only kind
  std::int64_t axis = 1;        ///< unused with a single scale
  std::int64_t block_size = 0;  ///< elements along the axis with a common scale; 0: not blocked

  void read(AttributeReader& attributes, int version);
  /// Throws ErrorCode::invalid when the shapes of scales (input 1) or zero points (input 2) do not
  /// match the tensor (input 0). `scale` and `zero_point` are ONNX's names of the two.
  void check(const InferContext& context, std::string_view scale,
             std::string_view zero_point) const;
};

/// Whether the shape is known to have one element and a rank of at most 1.
bool is_single(const PartialShape& shape);

/// Throws ErrorCode::invalid when a scale and its zero point differ in shape (a single element may
/// be a scalar or a vector).
void check_zero_point(const InferContext& context, std::int64_t scale, std::string_view scale_name,
                      std::int64_t zero_point, std::string_view zero_point_name);

/// Throws ErrorCode::invalid unless the input, if present, holds one element or a vector of
/// `count`.
void check_one_or_vector(const InferContext& context, std::int64_t input, std::string_view name,
                         const Dimension& count);

/// Throws ErrorCode::invalid unless the input, if present, holds one element, a vector along axis
/// `kept`, or has the matrix's shape with the other matrix axis 1 (`kept` -2: rows, -1: columns).
void check_matrix_parameter(const InferContext& context, std::int64_t input, std::string_view name,
                            const PartialShape& matrix, std::int64_t kept);

}  // namespace ortool
