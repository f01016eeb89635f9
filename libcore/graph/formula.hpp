// Sums of products of symbols and quotients, in the one form that equal formulas share.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ortool {

struct Atom;
using AtomPointer = std::shared_ptr<const Atom>;

/// An integer polynomial over atoms. Terms are sorted, the highest degree first; none is zero and
/// no two have the same factors. Formulas are at most `most_size` atoms and terms long: operations
/// that would pass it, or 64 bits, give nothing.
class Formula {
 public:
  static constexpr std::int64_t most_size = 100;

  struct Term {
    std::vector<AtomPointer> factors;  ///< sorted; a power stands there several times
    std::int64_t coefficient = 0;
  };

  /// Zero.
  Formula() = default;
  explicit Formula(std::int64_t number);
  explicit Formula(AtomPointer atom);

  const std::vector<Term>& terms() const { return terms_; }
  /// Terms and atoms, with what is inside quotients.
  std::int64_t size() const { return size_; }
  /// The number, when there is nothing else.
  std::optional<std::int64_t> number() const;
  /// The atom, when it stands alone.
  const Atom* atom() const;
  std::int64_t constant_term() const;

  std::optional<Formula> plus(const Formula& other) const;
  std::optional<Formula> times(const Formula& other) const;
  std::optional<Formula> times(std::int64_t factor) const;
  std::optional<Formula> minus(const Formula& other) const;

  /// "2*batch + 1"; unambiguous.
  std::string to_string() const;

  std::strong_ordering operator<=>(const Formula& other) const;
  bool operator==(const Formula& other) const { return (*this <=> other) == 0; }

  /// Sorts, joins equal terms, drops zeros.
  static std::optional<Formula> of_terms(std::vector<Term> terms);

 private:
  std::vector<Term> terms_;
  std::int64_t size_ = 0;
};

/// What a formula is built from.
struct Atom {
  enum class Kind { symbol, quotient, minimum, maximum, broadcast };

  Kind kind = Kind::symbol;
  std::string name;                ///< of a symbol
  std::vector<Formula> arguments;  ///< dividend and divisor; what a minimum is of, sorted
  std::int64_t size = 1;           ///< with the arguments' sizes
};
std::strong_ordering compare(const Atom& a, const Atom& b);
AtomPointer symbol_atom(std::string name);
/// Nothing when it is too long.
std::optional<Formula> formula_of(Atom::Kind kind, std::vector<Formula> arguments);

/// The quotient rounded down. The divisor must not be the number 0.
std::optional<Formula> floor_quotient(const Formula& dividend, const Formula& divisor);
std::optional<Formula> ceil_quotient(const Formula& dividend, const Formula& divisor);
/// The least, the largest, or what all of them broadcast to; at most `most_gathered` different
/// ones.
constexpr std::size_t most_gathered = 8;
std::optional<Formula> gather(Atom::Kind kind, const std::vector<Formula>& arguments);
/// Each symbol replaced by what `of` gives for its name (itself when nothing).
std::optional<Formula> substitute(
    const Formula& formula,
    const std::function<std::optional<Formula>(const std::string& name)>& of);

/// Bounds that hold whatever sizes the symbols stand for.
struct FormulaRange {
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
};
FormulaRange range_of(const Formula& formula);

}  // namespace ortool
