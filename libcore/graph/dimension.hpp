// An integer that may not be known yet: a number, a formula over symbols, or unknown.
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

/// One dimension of a declared or inferred shape, or one element of a value that shapes are
/// computed from. Such elements may be negative; the dimension of a shape never is. Symbols stand
/// for sizes, 0 or more. Cheap to copy: a number needs no memory beside it.
class Dimension {
 public:
  /// Unknown, without a cause.
  Dimension() = default;
  Dimension(std::int64_t number) : number_(number) {}
  /// Unknown when the name is empty.
  static Dimension symbol(std::string name);
  /// Unknown; `cause` is the name of the node whose result depends on data, or says what else.
  static Dimension unknown_because(std::string cause);
  /// What a formula amounts to, kept as a number where it is one.
  static Dimension of(Formula formula);

  bool is_known() const { return number_ != not_a_number; }
  /// A symbol alone.
  bool is_symbol() const;
  /// A symbol, or more than a symbol: "2*batch + 1".
  bool is_formula() const;
  bool is_unknown() const { return !is_known() && !is_formula(); }
  /// -1 unless it is a number.
  std::int64_t number() const { return is_known() ? number_ : -1; }
  /// Empty unless it is a symbol alone.
  const std::string& symbol() const;
  /// Only of a formula.
  const Formula& formula() const;
  /// Why it is unknown; of a symbol, which node's data it stands for the size of. Empty when nobody
  /// said.
  const std::string& cause() const;
  /// This with the cause of `other`, unless it has one or is neither unknown nor a symbol.
  Dimension because(const Dimension& other) const;
  /// `other` if this is unknown without a cause and `other` unknown too; otherwise this.
  const Dimension& or_because(const Dimension& other) const;

  /// The number, the symbol, "2*batch + 1", "ceil(height/2)", or "?".
  std::string to_string() const;

  /// Equal numbers or formulas; two unknown dimensions are equal as descriptions only.
  bool operator==(const Dimension& other) const;

 private:
  struct Detail;
  static constexpr std::int64_t not_a_number = INT64_MIN;

  std::int64_t number_ = not_a_number;
  std::shared_ptr<const Detail> detail_;  ///< null for numbers and for unknown without a cause
};

// Arithmetic. Numbers give numbers; a result that passes 64 bits, a division by zero and a formula
// that grows too long are unknown. What is unknown stays so, with the cause of the first that has
// one (0 times anything is 0).
Dimension operator+(const Dimension& a, const Dimension& b);
Dimension operator-(const Dimension& a, const Dimension& b);
Dimension operator-(const Dimension& a);
Dimension operator*(const Dimension& a, const Dimension& b);
/// Rounded down, towards minus infinity.
Dimension floor_divide(const Dimension& a, const Dimension& b);
Dimension ceil_divide(const Dimension& a, const Dimension& b);
/// Towards zero for numbers, as integer tensors divide; formulas are taken as not negative.
Dimension truncating_divide(const Dimension& a, const Dimension& b);
/// a - b * floor(a / b): the sign of `b`.
Dimension modulo(const Dimension& a, const Dimension& b);
Dimension min(const Dimension& a, const Dimension& b);
Dimension max(const Dimension& a, const Dimension& b);
/// The size that two sizes broadcast to when nothing is known but that they do: the one beside a 1.
/// Different numbers, none of them 1, give an unknown.
Dimension broadcast(const Dimension& a, const Dimension& b);
/// The product; 1 of none.
Dimension product(std::span<const Dimension> dimensions);

/// Whether a >= b whatever the symbols stand for; false when that cannot be said.
bool is_at_least(const Dimension& a, const Dimension& b);

/// What symbols stand for.
using SymbolMap = std::map<std::string, Dimension, std::less<>>;
/// The formula with symbols of the map replaced; a number when all are numbers.
Dimension substitute(const Dimension& dimension, const SymbolMap& symbols);

using Dimensions = std::vector<Dimension>;

/// A shape as far as it is known: nothing when not even the rank is.
using PartialShape = std::optional<Dimensions>;

PartialShape to_partial(const Shape& shape);
/// The shape when every dimension is a number.
std::optional<Shape> to_known(const PartialShape& shape);
/// "batch x 3 x ? x 224"; "scalar" for rank 0, "unknown rank" for nothing. A sum stands in
/// brackets.
std::string to_string(const PartialShape& shape);

}  // namespace ortool
