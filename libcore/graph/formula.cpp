// Polynomials over symbols: sorted terms, checked sums and products, and bounds.
#include "libcore/graph/formula.hpp"

#include <algorithm>

namespace ortool {
namespace {

/// The maximum number of term pairs that a product expands.
constexpr std::size_t max_products = 256;

using Factors = std::vector<AtomPointer>;

/// Higher degree first, an order that is compatible with multiplication.
std::strong_ordering compare_factors(const Factors& a, const Factors& b) {
  if (const auto order = b.size() <=> a.size(); order != 0) return order;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (const auto order = compare(*a[i], *b[i]); order != 0) return order;
  }
  return std::strong_ordering::equal;
}

std::int64_t size_of(const std::vector<Formula::Term>& terms) {
  std::int64_t size = 0;
  for (const Formula::Term& term : terms) {
    ++size;
    for (const AtomPointer& atom : term.factors) size += atom->size;
  }
  return size;
}

std::optional<std::int64_t> checked_sum(std::optional<std::int64_t> a,
                                        std::optional<std::int64_t> b) {
  std::int64_t sum = 0;
  if (!a || !b || __builtin_add_overflow(*a, *b, &sum)) return std::nullopt;
  return sum;
}

std::optional<std::int64_t> checked_product(std::optional<std::int64_t> a,
                                            std::optional<std::int64_t> b) {
  std::int64_t result = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &result)) return std::nullopt;
  return result;
}

FormulaRange range_of_quotient(const Formula& dividend, const Formula& divisor) {
  const FormulaRange range = range_of(dividend);
  const auto rounded_down = [](std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
  };
  if (const std::optional<std::int64_t> number = divisor.number(); number && *number > 0) {
    FormulaRange result;
    if (range.low) result.low = rounded_down(*range.low, *number);
    if (range.high) result.high = rounded_down(*range.high, *number);
    return result;
  }
  if (range.low.value_or(-1) < 0 || range_of(divisor).low.value_or(-1) < 0) return {};
  return {0, range.high};
}

FormulaRange range_of_gathered(const Atom& atom) {
  FormulaRange result = range_of(atom.arguments.front());
  for (std::size_t i = 1; i < atom.arguments.size(); ++i) {
    const FormulaRange range = range_of(atom.arguments[i]);
    // A minimum is at most each argument's high and at least the lowest low; for a maximum vice
    // versa.
    const auto both = [](auto& mine, const auto& other, const auto& choose) {
      mine = mine && other ? std::optional(choose(*mine, *other)) : std::nullopt;
    };
    const auto either = [](auto& mine, const auto& other, const auto& choose) {
      mine = mine && other ? std::optional(choose(*mine, *other)) : mine ? mine : other;
    };
    const auto least = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };
    const auto most = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };
    switch (atom.kind) {
      case Atom::Kind::minimum:
        both(result.low, range.low, least);
        either(result.high, range.high, least);
        break;
      case Atom::Kind::maximum:
        either(result.low, range.low, most);
        both(result.high, range.high, most);
        break;
      default:
        both(result.low, range.low, least);
        both(result.high, range.high, most);
        break;
    }
  }
  return result;
}

FormulaRange range_of_atom(const Atom& atom) {
  if (atom.kind == Atom::Kind::symbol) return {0, std::nullopt};
  if (atom.kind == Atom::Kind::quotient) {
    return range_of_quotient(atom.arguments[0], atom.arguments[1]);
  }
  return range_of_gathered(atom);
}

FormulaRange range_of_term(const Formula::Term& term) {
  FormulaRange product{1, 1};
  for (const AtomPointer& atom : term.factors) {
    const FormulaRange range = range_of_atom(*atom);
    if (range.low.value_or(-1) < 0 && term.factors.size() > 1) return {};
    product.low = checked_product(product.low, range.low);
    product.high = checked_product(product.high, range.high);
  }
  product.low = checked_product(product.low, term.coefficient);
  product.high = checked_product(product.high, term.coefficient);
  if (term.coefficient < 0) std::swap(product.low, product.high);
  return product;
}

}  // namespace

Formula::Formula(std::int64_t number) {
  if (number != 0) {
    terms_.push_back({{}, number});
    size_ = 1;
  }
}

Formula::Formula(AtomPointer atom) : size_(1 + atom->size) {
  terms_.push_back({{std::move(atom)}, 1});
}

std::optional<std::int64_t> Formula::number() const {
  if (terms_.empty()) return 0;
  if (terms_.size() > 1 || !terms_[0].factors.empty()) return std::nullopt;
  return terms_[0].coefficient;
}

const Atom* Formula::atom() const {
  const bool is_alone =
      terms_.size() == 1 && terms_[0].factors.size() == 1 && terms_[0].coefficient == 1;
  return is_alone ? terms_[0].factors[0].get() : nullptr;
}

std::int64_t Formula::constant_term() const {
  return !terms_.empty() && terms_.back().factors.empty() ? terms_.back().coefficient : 0;
}

std::optional<Formula> Formula::of_terms(std::vector<Term> terms) {
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    return compare_factors(a.factors, b.factors) < 0;
  });
  Formula result;
  for (Term& term : terms) {
    if (!result.terms_.empty() &&
        compare_factors(result.terms_.back().factors, term.factors) == 0) {
      std::int64_t& coefficient = result.terms_.back().coefficient;
      if (__builtin_add_overflow(coefficient, term.coefficient, &coefficient)) return std::nullopt;
    } else {
      result.terms_.push_back(std::move(term));
    }
  }
  std::erase_if(result.terms_, [](const Term& term) { return term.coefficient == 0; });
  result.size_ = size_of(result.terms_);
  if (result.size_ > max_size) return std::nullopt;
  return result;
}

std::optional<Formula> Formula::plus(const Formula& other) const {
  std::vector<Term> terms = terms_;
  terms.insert(terms.end(), other.terms_.begin(), other.terms_.end());
  return of_terms(std::move(terms));
}

std::optional<Formula> Formula::minus(const Formula& other) const {
  const std::optional<Formula> negative = other.times(-1);
  return negative ? plus(*negative) : std::nullopt;
}

std::optional<Formula> Formula::times(std::int64_t factor) const {
  return times(Formula(factor));
}

std::optional<Formula> Formula::times(const Formula& other) const {
  if (terms_.size() * other.terms_.size() > max_products) return std::nullopt;
  std::vector<Term> terms;
  for (const Term& mine : terms_) {
    for (const Term& theirs : other.terms_) {
      Term term;
      if (__builtin_mul_overflow(mine.coefficient, theirs.coefficient, &term.coefficient))
        return std::nullopt;
      std::merge(mine.factors.begin(), mine.factors.end(), theirs.factors.begin(),
                 theirs.factors.end(), std::back_inserter(term.factors),
                 [](const AtomPointer& a, const AtomPointer& b) { return compare(*a, *b) < 0; });
      terms.push_back(std::move(term));
    }
  }
  return of_terms(std::move(terms));
}

std::strong_ordering Formula::operator<=>(const Formula& other) const {
  for (std::size_t i = 0; i < std::min(terms_.size(), other.terms_.size()); ++i) {
    const Term& mine = terms_[i];
    const Term& theirs = other.terms_[i];
    if (const auto order = compare_factors(mine.factors, theirs.factors); order != 0) return order;
    if (const auto order = mine.coefficient <=> theirs.coefficient; order != 0) return order;
  }
  return terms_.size() <=> other.terms_.size();
}

std::strong_ordering compare(const Atom& a, const Atom& b) {
  if (&a == &b) return std::strong_ordering::equal;
  if (const auto order = a.kind <=> b.kind; order != 0) return order;
  if (const int order = a.name.compare(b.name); order != 0) {
    return order < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (const auto order = a.arguments.size() <=> b.arguments.size(); order != 0) return order;
  for (std::size_t i = 0; i < a.arguments.size(); ++i) {
    if (const auto order = a.arguments[i] <=> b.arguments[i]; order != 0) return order;
  }
  return std::strong_ordering::equal;
}

AtomPointer symbol_atom(std::string name) {
  auto atom = std::make_shared<Atom>();
  atom->name = std::move(name);
  return atom;
}

std::optional<Formula> formula_of(Atom::Kind kind, std::vector<Formula> arguments) {
  auto atom = std::make_shared<Atom>();
  atom->kind = kind;
  for (const Formula& argument : arguments) atom->size += argument.size();
  atom->arguments = std::move(arguments);
  if (atom->size >= Formula::max_size) return std::nullopt;
  return Formula(std::move(atom));
}

FormulaRange range_of(const Formula& formula) {
  FormulaRange sum{0, 0};
  for (const Formula::Term& term : formula.terms()) {
    const FormulaRange range = range_of_term(term);
    sum.low = checked_sum(sum.low, range.low);
    sum.high = checked_sum(sum.high, range.high);
  }
  return sum;
}

}  // namespace ortool
