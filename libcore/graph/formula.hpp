// Symbolic integer formulas (polynomials over symbols and quotients) in a canonical form.
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

/// An integer polynomial over atoms. Terms are sorted by decreasing degree, none is zero, and no
/// two have the same factors. A formula has at most `max_size` atoms and terms; operations that
/// would exceed that, or 64 bits, return nothing.
class Formula {
 public:
  static constexpr std::int64_t max_size = 100;

  struct Term {
    std::vector<AtomPointer> factors;  ///< sorted; powers are repeated factors
    std::int64_t coefficient = 0;
  };

  /// Zero.
  Formula() = default;
  explicit Formula(std::int64_t number);
  explicit Formula(AtomPointer atom);

  const std::vector<Term>& terms() const { return terms_; }
  /// The number of terms and atoms, including those inside quotients.
  std::int64_t size() const { return size_; }
  /// The number, if the formula is constant.
  std::optional<std::int64_t> number() const;
  /// The atom, if the formula is a single atom.
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

  /// Sorts, merges equal terms and drops zeros.
  static std::optional<Formula> of_terms(std::vector<Term> terms);

 private:
  std::vector<Term> terms_;
  std::int64_t size_ = 0;
};

/// The building blocks of formulas.
struct Atom {
  enum class Kind { symbol, quotient, minimum, maximum, broadcast };

  Kind kind = Kind::symbol;
  std::string name;                ///< for a symbol
  std::vector<Formula> arguments;  ///< dividend and divisor, or the sorted operands of a minimum
  std::int64_t size = 1;           ///< including the arguments' sizes
};
std::strong_ordering compare(const Atom& a, const Atom& b);
AtomPointer symbol_atom(std::string name);
/// Nothing when it would be too long.
std::optional<Formula> formula_of(Atom::Kind kind, std::vector<Formula> arguments);

/// The quotient rounded down. The divisor must not be the number 0.
std::optional<Formula> floor_quotient(const Formula& dividend, const Formula& divisor);
std::optional<Formula> ceil_quotient(const Formula& dividend, const Formula& divisor);
/// The minimum, the maximum, or the broadcast of all arguments; at most `max_gathered` distinct
/// ones.
constexpr std::size_t max_gathered = 8;
std::optional<Formula> gather(Atom::Kind kind, const std::vector<Formula>& arguments);
/// Replaces each symbol by what `of` returns for its name, or keeps it if that is nothing.
std::optional<Formula> substitute(
    const Formula& formula,
    const std::function<std::optional<Formula>(const std::string& name)>& of);

/// Bounds that hold for all values of the symbols.
struct FormulaRange {
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
};
FormulaRange range_of(const Formula& formula);

}  // namespace ortool
