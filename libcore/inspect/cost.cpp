// Sums with separate coefficients for each product of symbols.
#include "libcore/inspect/cost.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/graph/formula.hpp"

namespace ortool {
namespace {

constexpr std::int64_t too_large = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? too_large : sum;
}

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? too_large : product;
}

}  // namespace

Cost::Cost(const Dimension& dimension, const std::string& unknown_name) {
  cause_ = dimension.cause();
  if (dimension.is_unknown()) {
    if (cause_.empty()) cause_ = unknown_name;
    const Dimension symbol = Dimension::symbol(unknown_name);
    add_term(symbol.formula().to_string(), symbol, 1);
    return;
  }
  if (dimension.is_known()) {
    add_number(std::max<std::int64_t>(dimension.number(), 0));
    return;
  }
  for (const Formula::Term& term : dimension.formula().terms()) {
    if (term.factors.empty()) {
      number_ = saturating_sum(number_, term.coefficient);
      continue;
    }
    const Dimension unit = Dimension::of(*Formula::of_terms({Formula::Term{term.factors, 1}}));
    add_term(unit.formula().to_string(), unit, term.coefficient);
  }
}

void Cost::add_number(std::int64_t number) {
  number_ = saturating_sum(number_, number);
}

void Cost::add_term(const std::string& text, const Dimension& unit, std::int64_t coefficient) {
  const auto found = terms_.find(text);
  if (found != terms_.end()) {
    found->second.coefficient = saturating_sum(found->second.coefficient, coefficient);
    if (found->second.coefficient == 0) terms_.erase(found);
  } else if (terms_.size() >= max_terms) {
    ++left_out_;
  } else {
    terms_.emplace(text, Term{coefficient, unit});
  }
}

void Cost::add(const Cost& other) {
  add_number(other.number_);
  for (const auto& [text, term] : other.terms_) add_term(text, term.unit, term.coefficient);
  left_out_ += other.left_out_;
  if (cause_.empty()) cause_ = other.cause_;
}

Cost Cost::times(const Dimension& factor, const std::string& unknown_name) const {
  Cost result;
  if (factor.is_known()) {
    const std::int64_t number = std::max<std::int64_t>(factor.number(), 0);
    if (number == 0) return result;
    result = *this;
    result.number_ = saturating_product(number_, number);
    for (auto& [text, term] : result.terms_) {
      term.coefficient = saturating_product(term.coefficient, number);
    }
    return result;
  }
  const Dimension known = factor.is_unknown() ? Dimension::symbol(unknown_name) : factor;
  if (number_ != 0) result.add(Cost(known).times(Dimension(number_)));
  const bool is_sum = known.formula().terms().size() > 1;
  for (const auto& [text, term] : terms_) {
    const Dimension product = term.unit * known;
    if (!product.is_unknown()) {
      result.add(Cost(product).times(Dimension(term.coefficient)));
      continue;
    }
    const std::string written = format(is_sum ? "{}*({})" : "{}*{}", text, known.to_string());
    const bool is_kept = written.size() <= max_text_bytes;
    result.add_term(is_kept ? written : Dimension::symbol(unknown_name).to_string(), Dimension(),
                    term.coefficient);
  }
  result.left_out_ = left_out_;
  result.cause_ = !cause_.empty() || is_zero()                    ? cause_
                  : factor.is_unknown() && factor.cause().empty() ? unknown_name
                                                                  : factor.cause();
  return result;
}

Cost Cost::larger(const Cost& a, const Cost& b, const std::string& unknown_name) {
  const auto a_value = a.value();
  const auto b_value = b.value();
  if (a_value && b_value) return *a_value >= *b_value ? a : b;
  if (a == b || b.is_zero()) return a;
  if (a.is_zero()) return b;
  const auto covers = [](const Cost& more, const Cost& less) {
    return more.left_out_ >= less.left_out_ && more.number_ >= less.number_ &&
           std::all_of(less.terms_.begin(), less.terms_.end(), [&](const auto& entry) {
             const auto found = more.terms_.find(entry.first);
             return entry.second.coefficient <= 0 ||
                    (found != more.terms_.end() &&
                     found->second.coefficient >= entry.second.coefficient);
           });
  };
  const auto has_no_negative = [](const Cost& cost) {
    return cost.number_ >= 0 &&
           std::all_of(cost.terms_.begin(), cost.terms_.end(),
                       [](auto& entry) { return entry.second.coefficient >= 0; });
  };
  if (has_no_negative(a) && covers(a, b)) return a;
  if (has_no_negative(b) && covers(b, a)) return b;
  Cost result;
  const Dimension known = max(a.to_dimension(), b.to_dimension());
  if (!known.is_unknown()) {
    result = Cost(known);
  } else {
    const std::string text = format("max({}, {})", a.formula(), b.formula());
    const bool is_kept = text.size() <= max_text_bytes;
    result.add_term(is_kept ? text : Dimension::symbol(unknown_name).to_string(), Dimension(), 1);
  }
  result.cause_ = a.cause_.empty() ? b.cause_ : a.cause_;
  return result;
}

std::optional<std::int64_t> Cost::value() const {
  if (!terms_.empty() || left_out_ > 0 || number_ == too_large) return std::nullopt;
  return number_;
}

Dimension Cost::to_dimension() const {
  if (left_out_ > 0 || number_ == too_large) return {};
  Dimension sum = number_;
  for (const auto& [text, term] : terms_) sum = sum + term.unit * Dimension(term.coefficient);
  return sum;
}

std::string Cost::formula() const {
  std::string text;
  const auto append = [&](std::int64_t coefficient, const std::string& product) {
    const bool is_negative = coefficient < 0;
    if (!text.empty()) text += is_negative ? " - " : " + ";
    if (text.empty() && is_negative) text += "-";
    const std::string number = std::to_string(coefficient).substr(is_negative ? 1 : 0);
    text += product.empty() ? number : number == "1" ? product : number + "*" + product;
  };
  for (const auto& [product, term] : terms_) append(term.coefficient, product);
  if (number_ != 0 || text.empty()) append(number_, "");
  if (left_out_ > 0) text += format(" + {} more terms", left_out_);
  return text;
}

bool Cost::operator==(const Cost& other) const {
  return number_ == other.number_ && left_out_ == other.left_out_ &&
         std::equal(terms_.begin(), terms_.end(), other.terms_.begin(), other.terms_.end(),
                    [](const auto& a, const auto& b) {
                      return a.first == b.first && a.second.coefficient == b.second.coefficient;
                    });
}

}  // namespace ortool
