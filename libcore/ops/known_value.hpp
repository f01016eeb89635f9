// Constant propagation for small tensors: elements as numbers, formulas and fractions of formulas.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/graph/dimension.hpp"
#include "libcore/tensor/data_type.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Tensors with more elements than this are not tracked element by element.
constexpr std::int64_t max_known_elements = 1024;

/// numerator / denominator. Integers and booleans (0 and 1) have denominator 1. Floating-point
/// values occur between sizes and sizes (a size times a scale, rounded).
struct KnownElement {
  Dimension numerator;
  std::int64_t denominator = 1;  ///< positive

  KnownElement() = default;
  KnownElement(Dimension value, std::int64_t divisor = 1)
      : numerator(std::move(value)), denominator(divisor) {}

  bool is_number() const { return numerator.is_known(); }
  bool is_unknown() const { return numerator.is_unknown(); }
  bool operator==(const KnownElement&) const = default;
};
using KnownElements = std::vector<KnownElement>;

/// Elements in row-major order, and their shape.
struct KnownTensor {
  Shape shape;
  KnownElements elements;
};

/// Element types that are tracked: int32, int64, bool, float32, float64.
bool has_known_elements(DataType type);
/// The elements of a tensor of such a type; nothing for other types and for more than
/// max_known_elements. Values that cannot be represented as a fraction of 64-bit integers are
/// unknown.
std::optional<KnownElements> elements_of(const Tensor& tensor);

enum class ElementOp { add, subtract, multiply, divide, modulo, minimum, maximum };
/// Applies a binary operator to two elements of `type`. Integer division truncates toward zero;
/// floating-point results are rounded to the type.
KnownElement combine(ElementOp op, const KnownElement& a, const KnownElement& b, DataType type);

enum class Rounding { floor, ceil, nearest_even, towards_zero };
/// Rounds the element to an integer.
KnownElement round(Rounding rounding, const KnownElement& element);
KnownElement cast(const KnownElement& element, DataType from, DataType to);

enum class Comparison { equal, less, less_or_equal };
/// 1, 0 or unknown.
KnownElement compare(Comparison comparison, const KnownElement& a, const KnownElement& b);

}  // namespace ortool
