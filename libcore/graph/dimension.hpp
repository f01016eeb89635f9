// Dimension: an integer known as a number or as a formula over symbols, or unknown.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/tensor/shape.hpp"

namespace ortool {

class Formula;

/// One dimension of a declared or inferred shape, or one element of a value from which shapes are
/// computed. Such elements may be negative; dimensions of shapes never are. Symbols stand for sizes
/// of 0 or more. Cheap to copy: numbers need no heap memory.
class Dimension {
 public:
  /// Unknown without a cause.
  Dimension() = default;
  Dimension(std::int64_t number) : number_(number) {}
  /// Unknown when the name is empty.
  static Dimension symbol(std::string name);
  /// Unknown; `cause` is the name of the node whose result is data-dependent, or other text.
  static Dimension unknown_because(std::string cause);
  /// A formula, converted to a number where it is constant.
  static Dimension of(Formula formula);

  bool is_known() const { return number_ != not_a_number; }
  /// Exactly one symbol.
  bool is_symbol() const;
  /// A symbol or a larger formula such as "2*batch + 1".
  bool is_formula() const;
  bool is_unknown() const { return !is_known() && !is_formula(); }
  /// -1 unless it is a number.
  std::int64_t number() const { return is_known() ? number_ : -1; }
  /// Empty unless it is exactly one symbol.
  const std::string& symbol() const;
  /// Only for a formula.
  const Formula& formula() const;
  /// Why it is unknown or, for a symbol, the node whose data-dependent size it stands for. Empty if
  /// not recorded.
  const std::string& cause() const;
  /// This dimension with the cause of `other`, unless it has one or is neither unknown nor a
  /// symbol.
  Dimension because(const Dimension& other) const;
  /// `other` if this is unknown without a cause and `other` is unknown too; otherwise this.
  const Dimension& or_because(const Dimension& other) const;

  /// The number, the symbol, "2*batch + 1", "ceil(height/2)", or "?".
  std::string to_string() const;

  /// Whether both are equal numbers or formulas; unknown dimensions compare equal as descriptions
  /// only.
  bool operator==(const Dimension& other) const;

 private:
  struct Detail;
  static constexpr std::int64_t not_a_number = INT64_MIN;

  std::int64_t number_ = not_a_number;
  std::shared_ptr<const Detail> detail_;  ///< null for numbers and for unknown without a cause
};

// Arithmetic. Numbers give numbers. The result is unknown on overflow of 64 bits, division by zero,
// or if the formula becomes too long. Unknown operands give unknown, with the first cause found
// (but 0 times anything is 0).
Dimension operator+(const Dimension& a, const Dimension& b);
Dimension operator-(const Dimension& a, const Dimension& b);
Dimension operator-(const Dimension& a);
Dimension operator*(const Dimension& a, const Dimension& b);
/// Rounds down, toward minus infinity.
Dimension floor_divide(const Dimension& a, const Dimension& b);
Dimension ceil_divide(const Dimension& a, const Dimension& b);
/// Truncates toward zero for numbers, like integer tensors; formulas are assumed nonnegative.
Dimension truncating_divide(const Dimension& a, const Dimension& b);
/// a - b * floor(a / b), which has the sign of `b`.
Dimension modulo(const Dimension& a, const Dimension& b);
Dimension min(const Dimension& a, const Dimension& b);
Dimension max(const Dimension& a, const Dimension& b);
/// The size to which two sizes broadcast when it is only known that they do: the one next to a 1.
/// Unknown for different numbers of which none is 1.
Dimension broadcast(const Dimension& a, const Dimension& b);
/// The product; 1 for an empty list.
Dimension product(std::span<const Dimension> dimensions);

/// Whether a >= b for all values of the symbols; false if that cannot be proved.
bool is_at_least(const Dimension& a, const Dimension& b);

/// Replacement values of symbols.
using SymbolMap = std::map<std::string, Dimension, std::less<>>;
/// The formula with its symbols replaced; a number if all replacements are numbers.
Dimension substitute(const Dimension& dimension, const SymbolMap& symbols);

using Dimensions = std::vector<Dimension>;

/// A shape as far as it is known; nothing if even the rank is unknown.
using PartialShape = std::optional<Dimensions>;

PartialShape to_partial(const Shape& shape);
/// The shape when every dimension is a number.
std::optional<Shape> to_known(const PartialShape& shape);
/// "batch x 3 x ? x 224"; "scalar" for rank 0, "unknown rank" for nothing. Sums are put in
/// brackets.
std::string to_string(const PartialShape& shape);

}  // namespace ortool
