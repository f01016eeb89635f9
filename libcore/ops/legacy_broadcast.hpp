// Broadcasting of binary operators: NumPy-style, or by attributes in opsets before 7.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Before opset 7, both shapes had to be equal, or with `broadcast` the second operand was aligned
/// with consecutive dimensions of the first, starting at `axis` or, without it, ending at the last
/// one.
struct LegacyBroadcast {
  enum class Kind { numpy, same_shape, along_first };

  Kind kind = Kind::numpy;
  std::optional<std::int64_t> axis;  ///< for along_first

  /// Reads `axis` and `broadcast` where this version has these attributes.
  void read(AttributeReader& attributes);

  /// The second shape, padded with trailing ones so that NumPy-style broadcasting applies. Throws
  /// ErrorCode::invalid when the shapes are incompatible.
  Dimensions align_second(const Dimensions& first, const Dimensions& second) const;
  Shape align_second(const Shape& first, const Shape& second) const;

  /// The broadcast shape of inputs 0 and 1.
  PartialShape result_shape(const InferContext& context) const;
};

}  // namespace ortool
