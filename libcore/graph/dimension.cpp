// Dimension arithmetic: numbers directly, the rest by formulas; conversions and text.
#include "libcore/graph/dimension.hpp"

#include <algorithm>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/floor_divide.hpp"
#include "libcore/graph/formula.hpp"

namespace ortool {

/// Details of a dimension that is not a number: a formula, or the cause of being unknown.
struct Dimension::Detail {
  std::optional<Formula> formula;
  std::string cause;
};

namespace {

const std::string& nothing() {
  static const std::string empty;
  return empty;
}

/// A shared instance, since failing operations are common in shapes that a hostile file contains.
const Dimension& too_big() {
  static const Dimension unknown =
      Dimension::unknown_because("a number exceeds 64 bits, or a divisor is 0");
  return unknown;
}

const Dimension& too_long() {
  static const Dimension unknown = Dimension::unknown_because("its formula is too long");
  return unknown;
}

Formula as_formula(const Dimension& dimension) {
  return dimension.is_known() ? Formula(dimension.number()) : dimension.formula();
}

Dimension of_result(std::optional<Formula> result) {
  return result ? Dimension::of(std::move(*result)) : too_long();
}

/// The unknown one of two dimensions, preferring one with a cause.
const Dimension& unknown_of(const Dimension& a, const Dimension& b) {
  if (!a.is_unknown()) return b;
  return b.is_unknown() ? a.or_because(b) : a;
}

bool can_divide(std::int64_t a, std::int64_t b) {
  return b != 0 && !(b == -1 && a == INT64_MIN);
}

bool is_number(const Dimension& dimension, std::int64_t number) {
  return dimension.is_known() && dimension.number() == number;
}

Dimension gathered(Atom::Kind kind, const Dimension& a, const Dimension& b) {
  if (a.is_unknown() || b.is_unknown()) return unknown_of(a, b);
  return of_result(gather(kind, {as_formula(a), as_formula(b)}));
}

}  // namespace

Dimension Dimension::symbol(std::string name) {
  return name.empty() ? Dimension() : of(Formula(symbol_atom(std::move(name))));
}

Dimension Dimension::unknown_because(std::string cause) {
  Dimension dimension;
  dimension.detail_ = std::make_shared<const Detail>(Detail{std::nullopt, std::move(cause)});
  return dimension;
}

Dimension Dimension::of(Formula formula) {
  if (const std::optional<std::int64_t> number = formula.number()) return *number;
  Dimension dimension;
  dimension.detail_ = std::make_shared<const Detail>(Detail{std::move(formula), {}});
  return dimension;
}

bool Dimension::is_formula() const {
  return detail_ != nullptr && detail_->formula.has_value();
}

bool Dimension::is_symbol() const {
  const Atom* atom = is_formula() ? detail_->formula->atom() : nullptr;
  return atom != nullptr && atom->kind == Atom::Kind::symbol;
}

const std::string& Dimension::symbol() const {
  return is_symbol() ? detail_->formula->atom()->name : nothing();
}

const Formula& Dimension::formula() const {
  ORTOOL_CHECK(is_formula());
  return *detail_->formula;
}

const std::string& Dimension::cause() const {
  return detail_ != nullptr ? detail_->cause : nothing();
}

Dimension Dimension::because(const Dimension& other) const {
  if (is_unknown()) return or_because(other);
  if (!is_symbol() || !cause().empty() || other.cause().empty()) return *this;
  Dimension named;
  named.detail_ = std::make_shared<const Detail>(Detail{detail_->formula, other.cause()});
  return named;
}

const Dimension& Dimension::or_because(const Dimension& other) const {
  return is_unknown() && cause().empty() && other.is_unknown() ? other : *this;
}

std::string Dimension::to_string() const {
  if (is_known()) return std::to_string(number_);
  if (is_symbol()) return symbol();
  return is_formula() ? formula().to_string() : "?";
}

bool Dimension::operator==(const Dimension& other) const {
  if (is_known() || other.is_known()) return number_ == other.number_;
  if (is_formula() != other.is_formula()) return false;
  return detail_ == other.detail_ || !is_formula() || formula() == other.formula();
}

Dimension operator+(const Dimension& a, const Dimension& b) {
  if (a.is_known() && b.is_known()) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a.number(), b.number(), &sum) ? too_big() : Dimension(sum);
  }
  if (a.is_unknown() || b.is_unknown()) return unknown_of(a, b);
  return of_result(as_formula(a).plus(as_formula(b)));
}

Dimension operator-(const Dimension& a, const Dimension& b) {
  if (a.is_known() && b.is_known()) {
    std::int64_t difference = 0;
    return __builtin_sub_overflow(a.number(), b.number(), &difference) ? too_big()
                                                                       : Dimension(difference);
  }
  if (a.is_unknown() || b.is_unknown()) return unknown_of(a, b);
  return of_result(as_formula(a).minus(as_formula(b)));
}

Dimension operator-(const Dimension& a) {
  return Dimension(0) - a;
}

Dimension operator*(const Dimension& a, const Dimension& b) {
  if (a.is_known() && b.is_known()) {
    std::int64_t result = 0;
    return __builtin_mul_overflow(a.number(), b.number(), &result) ? too_big() : Dimension(result);
  }
  if (is_number(a, 0) || is_number(b, 0)) return 0;
  if (a.is_unknown() || b.is_unknown()) return unknown_of(a, b);
  return of_result(as_formula(a).times(as_formula(b)));
}

Dimension floor_divide(const Dimension& a, const Dimension& b) {
  if (a.is_known() && b.is_known()) {
    return can_divide(a.number(), b.number()) ? Dimension(floor_divide(a.number(), b.number()))
                                              : too_big();
  }
  if (is_number(b, 0)) return too_big();
  if (a.is_unknown() || b.is_unknown()) return unknown_of(a, b);
  return of_result(floor_quotient(as_formula(a), as_formula(b)));
}

Dimension ceil_divide(const Dimension& a, const Dimension& b) {
  if (a.is_known() && b.is_known()) {
    if (!can_divide(a.number(), b.number())) return too_big();
    const std::int64_t down = floor_divide(a.number(), b.number());
    return a.number() % b.number() != 0 ? down + 1 : down;
  }
  if (is_number(b, 0)) return too_big();
  if (a.is_unknown() || b.is_unknown()) return unknown_of(a, b);
  return of_result(ceil_quotient(as_formula(a), as_formula(b)));
}

Dimension truncating_divide(const Dimension& a, const Dimension& b) {
  if (!a.is_known() || !b.is_known()) return floor_divide(a, b);
  return can_divide(a.number(), b.number()) ? Dimension(a.number() / b.number()) : too_big();
}

Dimension modulo(const Dimension& a, const Dimension& b) {
  const Dimension quotient = floor_divide(a, b);
  // 0 times an unknown would be 0.
  return quotient.is_unknown() ? quotient : a - b * quotient;
}

Dimension min(const Dimension& a, const Dimension& b) {
  if (a.is_known() && b.is_known()) return std::min(a.number(), b.number());
  return gathered(Atom::Kind::minimum, a, b);
}

Dimension max(const Dimension& a, const Dimension& b) {
  if (a.is_known() && b.is_known()) return std::max(a.number(), b.number());
  return gathered(Atom::Kind::maximum, a, b);
}

Dimension broadcast(const Dimension& a, const Dimension& b) {
  if (is_number(a, 1)) return b;
  if (is_number(b, 1)) return a;
  if (a.is_known() && b.is_known()) return a.number() == b.number() ? a : Dimension();
  if (a.is_known()) return a;
  if (b.is_known()) return b;
  return gathered(Atom::Kind::broadcast, a, b);
}

Dimension product(std::span<const Dimension> dimensions) {
  Dimension result(1);
  for (const Dimension& dimension : dimensions) result = result * dimension;
  return result;
}

bool is_at_least(const Dimension& a, const Dimension& b) {
  const Dimension distance = a - b;
  if (distance.is_known()) return distance.number() >= 0;
  return distance.is_formula() && range_of(distance.formula()).low.value_or(-1) >= 0;
}

Dimension substitute(const Dimension& dimension, const SymbolMap& symbols) {
  if (!dimension.is_formula()) return dimension;
  // A symbol may be replaced by an unknown, which a formula cannot contain.
  Dimension unknown = too_long();
  bool has_unknown = false;
  const auto value_of = [&](const std::string& name) -> std::optional<Formula> {
    const auto found = symbols.find(name);
    if (found == symbols.end()) return std::nullopt;
    if (!found->second.is_unknown()) return as_formula(found->second);
    has_unknown = true;
    unknown = found->second;
    return std::nullopt;
  };
  std::optional<Formula> result = substitute(dimension.formula(), value_of);
  if (has_unknown || !result) return unknown;
  return Dimension::of(std::move(*result));
}

PartialShape to_partial(const Shape& shape) {
  return Dimensions(shape.begin(), shape.end());
}

std::optional<Shape> to_known(const PartialShape& shape) {
  if (!shape) return std::nullopt;
  std::vector<std::int64_t> numbers;
  numbers.reserve(shape->size());
  for (const Dimension& dimension : *shape) {
    if (!dimension.is_known()) return std::nullopt;
    numbers.push_back(dimension.number());
  }
  return Shape(std::move(numbers));
}

std::string to_string(const PartialShape& shape) {
  if (!shape) return "unknown rank";
  if (shape->empty()) return "scalar";
  std::string text;
  for (const Dimension& dimension : *shape) {
    if (!text.empty()) text += " x ";
    const bool is_sum = dimension.is_formula() && dimension.formula().terms().size() > 1;
    text += is_sum ? "(" + dimension.to_string() + ")" : dimension.to_string();
  }
  return text;
}

}  // namespace ortool
