// Canonical forms of quotients, minima and broadcasts of formulas; substitution.
#include <algorithm>
#include <numeric>

#include "libcore/base/floor_divide.hpp"
#include "libcore/graph/formula.hpp"

namespace ortool {
namespace {

using Term = Formula::Term;
using Result = std::optional<Formula>;

Result plus(const Result& a, const Result& b) {
  return a && b ? a->plus(*b) : std::nullopt;
}

std::uint64_t magnitude(std::int64_t number) {
  return number < 0 ? 0U - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

/// floor((g*n + r) / (g*c)) = floor((n + floor(r / g)) / c): cancels the common factor of the
/// divisor and the dividend without its constant term.
void reduce(std::vector<Term>& dividend, std::int64_t& divisor) {
  std::uint64_t common = magnitude(divisor);
  for (const Term& term : dividend) {
    if (!term.factors.empty()) common = std::gcd(common, magnitude(term.coefficient));
  }
  const auto factor = static_cast<std::int64_t>(common);
  for (Term& term : dividend) term.coefficient = floor_divide(term.coefficient, factor);
  divisor /= factor;
}

/// The quotient of a remainder below the divisor: whole multiples have been split off.
Result quotient_of_remainder(std::vector<Term> terms, std::int64_t divisor) {
  reduce(terms, divisor);
  Result rest = Formula::of_terms(std::move(terms));
  if (!rest || divisor == 1) return rest;
  const FormulaRange range = range_of(*rest);
  if (range.low.value_or(-1) >= 0 && range.high.value_or(divisor) < divisor) return Formula();
  // floor((floor(x/a) + r) / c) = floor((x + a*r) / (a*c)).
  const Result without_constant = rest->plus(Formula(-rest->constant_term()));
  const Atom* inner = without_constant ? without_constant->atom() : nullptr;
  if (inner != nullptr && inner->kind == Atom::Kind::quotient) {
    const std::optional<std::int64_t> inner_divisor = inner->arguments[1].number();
    std::int64_t both = 0;
    std::int64_t shift = 0;
    if (inner_divisor && !__builtin_mul_overflow(*inner_divisor, divisor, &both) &&
        !__builtin_mul_overflow(*inner_divisor, rest->constant_term(), &shift)) {
      const Result dividend = inner->arguments[0].plus(Formula(shift));
      return dividend ? floor_quotient(*dividend, Formula(both)) : std::nullopt;
    }
  }
  return formula_of(Atom::Kind::quotient, {std::move(*rest), Formula(divisor)});
}

Result quotient_by_number(const Formula& dividend, std::int64_t divisor) {
  if (divisor == 1) return dividend;
  std::vector<Term> whole;
  std::vector<Term> rest;
  for (const Term& term : dividend.terms()) {
    const std::int64_t times = floor_divide(term.coefficient, divisor);
    if (times != 0) whole.push_back({term.factors, times});
    const std::int64_t left = term.coefficient - times * divisor;
    if (left != 0) rest.push_back({term.factors, left});
  }
  return plus(Formula::of_terms(std::move(whole)), quotient_of_remainder(std::move(rest), divisor));
}

bool is_before(const AtomPointer& a, const AtomPointer& b) {
  return compare(*a, *b) < 0;
}

/// `factors` without those of `divisor`; nothing if one of them is missing.
std::optional<std::vector<AtomPointer>> without(const std::vector<AtomPointer>& factors,
                                                const std::vector<AtomPointer>& divisor) {
  if (!std::includes(factors.begin(), factors.end(), divisor.begin(), divisor.end(), is_before))
    return std::nullopt;
  std::vector<AtomPointer> left;
  std::set_difference(factors.begin(), factors.end(), divisor.begin(), divisor.end(),
                      std::back_inserter(left), is_before);
  return left;
}

struct Division {
  Formula quotient;
  Formula remainder;
};

/// Polynomial division by the divisor's leading term, which is unique in the order of terms.
std::optional<Division> divide(const Formula& dividend, const Formula& divisor) {
  const Term& lead = divisor.terms().front();
  Division result;
  Formula rest = dividend;
  for (int steps = 0; !rest.terms().empty(); ++steps) {
    if (steps == Formula::max_size) return std::nullopt;
    const Term& first = rest.terms().front();
    const bool fits = first.coefficient % lead.coefficient == 0;
    const auto factors = fits ? without(first.factors, lead.factors) : std::nullopt;
    const Result part =
        Formula::of_terms({factors ? Term{*factors, first.coefficient / lead.coefficient} : first});
    if (!part) return std::nullopt;
    const Result taken = factors ? part->times(divisor) : part;
    Formula& target = factors ? result.quotient : result.remainder;
    const Result sum = target.plus(*part);
    const Result left = taken ? rest.minus(*taken) : std::nullopt;
    if (!sum || !left) return std::nullopt;
    target = *sum;
    rest = *left;
  }
  return result;
}

/// Cancels the common factors of all terms of both.
std::optional<Division> cancel(const Formula& dividend, const Formula& divisor) {
  std::vector<AtomPointer> common = divisor.terms().front().factors;
  std::uint64_t factor = 0;
  for (const Formula* formula : {&dividend, &divisor}) {
    for (const Term& term : formula->terms()) {
      std::vector<AtomPointer> shared;
      std::set_intersection(common.begin(), common.end(), term.factors.begin(), term.factors.end(),
                            std::back_inserter(shared), is_before);
      common = std::move(shared);
      factor = std::gcd(factor, magnitude(term.coefficient));
    }
  }
  if (factor > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  const auto shrink = [&](const Formula& formula) {
    std::vector<Term> terms;
    for (const Term& term : formula.terms()) {
      terms.push_back(
          {*without(term.factors, common), term.coefficient / static_cast<std::int64_t>(factor)});
    }
    return Formula::of_terms(std::move(terms));
  };
  const Result above = shrink(dividend);
  const Result below = shrink(divisor);
  if (!above || !below) return std::nullopt;
  return Division{*above, *below};
}

/// Whether 0 <= a < b can be proved.
bool is_within(const Formula& a, const Formula& b) {
  const Result distance = b.minus(a);
  return range_of(a).low.value_or(-1) >= 0 && distance && range_of(*distance).low.value_or(0) > 0;
}

Result quotient_by_formula(const Formula& dividend, const Formula& divisor) {
  const std::optional<Division> division = divide(dividend, divisor);
  if (!division) return std::nullopt;
  if (division->remainder.terms().empty()) return division->quotient;
  const std::optional<Division> rest = cancel(division->remainder, divisor);
  if (!rest) return std::nullopt;
  const Formula& above = rest->quotient;
  const Formula& below = rest->remainder;
  if (below.number()) return plus(division->quotient, floor_quotient(above, below));
  if (is_within(above, below)) return division->quotient;
  const Result raised = above.plus(below);
  if (raised && is_within(*raised, below)) return division->quotient.plus(Formula(-1));
  return plus(division->quotient, formula_of(Atom::Kind::quotient, {above, below}));
}

/// Whether `a` is a minimum of another argument and of sizes that are at least 1. When both are
/// broadcast, it then equals that argument or is 1.
bool is_cut_from_another(const Formula& a, const std::vector<Formula>& arguments) {
  const Atom* atom = a.atom();
  if (atom == nullptr || atom->kind != Atom::Kind::minimum) return false;
  bool has_other = false;
  for (const Formula& part : atom->arguments) {
    if (std::find(arguments.begin(), arguments.end(), part) != arguments.end()) {
      has_other = true;
    } else if (range_of(part).low.value_or(0) < 1) {
      return false;
    }
  }
  return has_other;
}

/// The size to which all of them broadcast.
Result gather_broadcast(std::vector<Formula> arguments) {
  std::erase(arguments, Formula(1));
  std::erase_if(arguments, [whole = arguments](const Formula& argument) {
    return is_cut_from_another(argument, whole);
  });
  if (arguments.empty()) return Formula(1);
  const auto is_number = [](const Formula& argument) { return argument.number().has_value(); };
  const auto number = std::find_if(arguments.begin(), arguments.end(), is_number);
  if (std::count_if(arguments.begin(), arguments.end(), is_number) > 1) return std::nullopt;
  if (number != arguments.end()) return *number;
  for (const Formula& argument : arguments) {
    if (range_of(argument).low.value_or(0) > 1) return argument;
  }
  if (arguments.size() == 1) return arguments.front();
  return arguments.size() > max_gathered ? std::nullopt
                                         : formula_of(Atom::Kind::broadcast, std::move(arguments));
}

/// Whether `a` makes `b` redundant.
bool dominates(Atom::Kind kind, const Formula& a, const Formula& b) {
  const Result distance = kind == Atom::Kind::minimum ? b.minus(a) : a.minus(b);
  return distance && range_of(*distance).low.value_or(-1) >= 0;
}

void drop_dominated(Atom::Kind kind, std::vector<Formula>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t j = 0; j < arguments.size(); ++j) {
      if (i == j || !dominates(kind, arguments[i], arguments[j])) continue;
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(j));
      if (j < i) --i;
      --j;
    }
  }
}

}  // namespace

std::optional<Formula> floor_quotient(const Formula& dividend, const Formula& divisor) {
  if (divisor.terms().empty()) return std::nullopt;
  if (divisor.terms().front().coefficient < 0) {
    const Result above = dividend.times(-1);
    const Result below = divisor.times(-1);
    return above && below ? floor_quotient(*above, *below) : std::nullopt;
  }
  const std::optional<std::int64_t> number = divisor.number();
  return number ? quotient_by_number(dividend, *number) : quotient_by_formula(dividend, divisor);
}

std::optional<Formula> ceil_quotient(const Formula& dividend, const Formula& divisor) {
  if (const std::optional<std::int64_t> number = divisor.number(); number && *number > 0) {
    const Result raised = dividend.plus(Formula(*number - 1));
    return raised ? quotient_by_number(*raised, *number) : std::nullopt;
  }
  const Result negative = dividend.times(-1);
  const Result quotient = negative ? floor_quotient(*negative, divisor) : std::nullopt;
  return quotient ? quotient->times(-1) : std::nullopt;
}

std::optional<Formula> gather(Atom::Kind kind, const std::vector<Formula>& arguments) {
  std::vector<Formula> all;
  for (const Formula& argument : arguments) {
    const Atom* atom = argument.atom();
    if (atom != nullptr && atom->kind == kind) {
      all.insert(all.end(), atom->arguments.begin(), atom->arguments.end());
    } else {
      all.push_back(argument);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (all.size() > 2 * max_gathered) return std::nullopt;
  if (kind == Atom::Kind::broadcast) return gather_broadcast(std::move(all));
  drop_dominated(kind, all);
  if (all.size() == 1) return all.front();
  if (all.size() > max_gathered) return std::nullopt;
  return formula_of(kind, std::move(all));
}

std::optional<Formula> substitute(
    const Formula& formula,
    const std::function<std::optional<Formula>(const std::string& name)>& of) {
  Formula sum;
  for (const Term& term : formula.terms()) {
    Result part = Formula(term.coefficient);
    for (const AtomPointer& atom : term.factors) {
      Result value;
      if (atom->kind == Atom::Kind::symbol) {
        value = of(atom->name);
        if (!value) value = Formula(atom);
      } else {
        std::vector<Formula> arguments;
        for (const Formula& argument : atom->arguments) {
          const Result replaced = substitute(argument, of);
          if (!replaced) return std::nullopt;
          arguments.push_back(*replaced);
        }
        value = atom->kind == Atom::Kind::quotient ? floor_quotient(arguments[0], arguments[1])
                                                   : gather(atom->kind, arguments);
      }
      part = part && value ? part->times(*value) : std::nullopt;
    }
    const Result next = plus(sum, part);
    if (!next) return std::nullopt;
    sum = *next;
  }
  return sum;
}

}  // namespace ortool
