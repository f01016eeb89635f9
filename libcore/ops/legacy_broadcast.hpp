// How operators of two inputs broadcast: as numpy does, or by the attributes of opsets before 7.
#pragma once

#include <cstdint>
#include <optional>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Before opset 7, shapes had to be the same, or with `broadcast` the second was laid along
/// consecutive dimensions of the first, from `axis` on or else along the last ones.
struct LegacyBroadcast {
  enum class Kind { numpy, same_shape, along_first };

  Kind kind = Kind::numpy;
  std::optional<std::int64_t> axis;  ///< of along_first

  /// Reads `axis` and `broadcast` where this version has them.
  void read(AttributeReader& attributes);

  /// The second shape with ones behind it, so that numpy's rule does the rest. Throws
  /// ErrorCode::invalid when the shapes do not go together.
  Dimensions align_second(const Dimensions& first, const Dimensions& second) const;
  Shape align_second(const Shape& first, const Shape& second) const;

  /// The shape of the result of inputs 0 and 1.
  PartialShape result_shape(const InferContext& context) const;
};

}  // namespace ortool
