// Symbolic arithmetic on tensor elements that are known before the run.
#include "libcore/ops/known_value.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Formulas are not multiplied by scales with a longer denominator: a float32 product of a size and
/// such a scale may round to a different integer than the formula does.
constexpr std::int64_t longest_scale = 1 << 12;

bool is_floating(DataType type) {
  return type == DataType::float32 || type == DataType::float64;
}

/// Converts a finite number, if its fraction fits into 62 bits on both sides.
KnownElement element_of(double number) {
  // Most floating-point constants are weights and biases, so that this is worth no call of libm.
  constexpr int fraction_bits = 52;
  constexpr int bias = 1023;
  if (number == 0) return Dimension(0);
  const auto bits = std::bit_cast<std::uint64_t>(number);
  int exponent = static_cast<int>(bits >> fraction_bits & 0x7ff) - bias - fraction_bits;
  const std::uint64_t implied = std::uint64_t{1} << fraction_bits;
  auto mantissa = static_cast<std::int64_t>((bits & (implied - 1)) | implied);
  if (number < 0) mantissa = -mantissa;
  // Exact, since the bits shifted out are zero.
  const int shift =
      std::clamp(-exponent, 0, std::countr_zero(static_cast<std::uint64_t>(mantissa)));
  mantissa >>= shift;
  exponent += shift;
  // Infinity, NaN and subnormal numbers among others.
  if (exponent > 9 || exponent < -62) return {};
  if (exponent >= 0) return Dimension(mantissa) * Dimension(std::int64_t{1} << exponent);
  return {mantissa, std::int64_t{1} << -exponent};
}

double number_of(const KnownElement& element) {
  return static_cast<double>(element.numerator.number()) / static_cast<double>(element.denominator);
}

/// The number rounded to the given element type.
KnownElement stored(double number, DataType type) {
  if (type != DataType::float32) return element_of(number);
  return element_of(static_cast<double>(static_cast<float>(number)));
}

KnownElement stored_integer(const Dimension& value, DataType type) {
  if (!value.is_known() || type != DataType::int32) return value;
  const bool fits = value.number() >= std::numeric_limits<std::int32_t>::min() &&
                    value.number() <= std::numeric_limits<std::int32_t>::max();
  return fits ? value : Dimension();
}

double combine_numbers(ElementOp op, double a, double b) {
  switch (op) {
    case ElementOp::add:
      return a + b;
    case ElementOp::subtract:
      return a - b;
    case ElementOp::multiply:
      return a * b;
    case ElementOp::divide:
      return a / b;
    case ElementOp::modulo:
      return std::fmod(a, b);
    case ElementOp::minimum:
      return std::min(a, b);
    case ElementOp::maximum:
      return std::max(a, b);
  }
  return 0;
}

Dimension combine_integers(ElementOp op, const Dimension& a, const Dimension& b) {
  switch (op) {
    case ElementOp::add:
      return a + b;
    case ElementOp::subtract:
      return a - b;
    case ElementOp::multiply:
      return a * b;
    case ElementOp::divide:
      return truncating_divide(a, b);
    case ElementOp::modulo:
      return modulo(a, b);
    case ElementOp::minimum:
      return min(a, b);
    case ElementOp::maximum:
      return max(a, b);
  }
  return {};
}

/// The fraction in lowest terms, if the denominator is short enough.
KnownElement reduced(const Dimension& numerator, std::int64_t denominator) {
  if (numerator.is_unknown()) return numerator;
  const Dimension whole = floor_divide(numerator, denominator);
  if (whole * denominator == numerator) return whole;
  return denominator <= longest_scale ? KnownElement(numerator, denominator) : KnownElement();
}

/// Operations on formulas over fractions, in exact real arithmetic.
KnownElement combine_fractions(ElementOp op, const KnownElement& a, const KnownElement& b) {
  if (a.is_unknown()) return a.numerator.or_because(b.numerator);
  if (b.is_unknown()) return b.numerator;
  if (a.denominator > longest_scale || b.denominator > longest_scale) return {};
  switch (op) {
    case ElementOp::add:
    case ElementOp::subtract:
    case ElementOp::minimum:
    case ElementOp::maximum: {
      const std::int64_t both = std::lcm(a.denominator, b.denominator);
      return reduced(combine_integers(op, a.numerator * (both / a.denominator),
                                      b.numerator * (both / b.denominator)),
                     both);
    }
    case ElementOp::multiply:
      return reduced(a.numerator * b.numerator, a.denominator * b.denominator);
    case ElementOp::divide: {
      // The quotient of two formulas may be exact; otherwise only numbers can be divided.
      Dimension above = a.numerator * b.denominator;
      Dimension below = b.numerator * a.denominator;
      if (below.is_known() && below.number() < 0) {
        above = -above;
        below = -below;
      }
      if (below.is_known() && below.number() > 0) return reduced(above, below.number());
      const Dimension whole = floor_divide(above, below);
      return whole * below == above ? KnownElement(whole) : KnownElement();
    }
    case ElementOp::modulo:
      return {};
  }
  return {};
}

}  // namespace

bool has_known_elements(DataType type) {
  return type == DataType::int64 || type == DataType::int32 || type == DataType::boolean ||
         is_floating(type);
}

std::optional<KnownElements> elements_of(const Tensor& tensor) {
  if (!has_known_elements(tensor.type()) || tensor.element_count() > max_known_elements)
    return std::nullopt;
  KnownElements elements;
  elements.reserve(static_cast<std::size_t>(tensor.element_count()));
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_floating(tensor.type())) {
      elements.push_back(element_of(element_as_double(tensor, i)));
    } else {
      elements.emplace_back(element_as_int64(tensor, i));
    }
  }
  return elements;
}

KnownElement combine(ElementOp op, const KnownElement& a, const KnownElement& b, DataType type) {
  if (!is_floating(type))
    return stored_integer(combine_integers(op, a.numerator, b.numerator), type);
  if (a.is_number() && b.is_number())
    return stored(combine_numbers(op, number_of(a), number_of(b)), type);
  return combine_fractions(op, a, b);
}

KnownElement round(Rounding rounding, const KnownElement& element) {
  if (element.denominator == 1) return element;
  switch (rounding) {
    case Rounding::floor:
      return floor_divide(element.numerator, element.denominator);
    case Rounding::ceil:
      return ceil_divide(element.numerator, element.denominator);
    case Rounding::nearest_even:
      return element.is_number() ? element_of(std::nearbyint(number_of(element))) : KnownElement();
    case Rounding::towards_zero:
      return truncating_divide(element.numerator, element.denominator);
  }
  return {};
}

KnownElement cast(const KnownElement& element, DataType from, DataType to) {
  if (!has_known_elements(from) || !has_known_elements(to)) return {};
  if (to == DataType::boolean) {
    const KnownElement is_zero = compare(Comparison::equal, element, Dimension(0));
    return is_zero.is_number() ? KnownElement(1 - is_zero.numerator) : is_zero;
  }
  if (is_floating(to)) return element.is_number() ? stored(number_of(element), to) : element;
  const KnownElement whole = is_floating(from) ? round(Rounding::towards_zero, element) : element;
  return stored_integer(whole.numerator, to);
}

KnownElement compare(Comparison comparison, const KnownElement& a, const KnownElement& b) {
  const Dimension left = a.numerator * b.denominator;
  const Dimension right = b.numerator * a.denominator;
  const bool is_less = is_at_least(right - 1, left);
  const bool is_more = is_at_least(left - 1, right);
  if (left.is_unknown() || right.is_unknown()) return left.is_unknown() ? left : right;
  switch (comparison) {
    case Comparison::equal:
      if (left == right) return Dimension(1);
      return is_less || is_more ? KnownElement(0) : KnownElement();
    case Comparison::less:
      if (is_less) return Dimension(1);
      return is_at_least(left, right) ? KnownElement(0) : KnownElement();
    case Comparison::less_or_equal:
      if (is_at_least(right, left)) return Dimension(1);
      return is_more ? KnownElement(0) : KnownElement();
  }
  return {};
}

}  // namespace ortool
