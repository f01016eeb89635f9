// Sums and products of symbols.
#include "libcore/inspect/cost.hpp"

#include "libcore/base/format.hpp"

namespace ortool {

Cost Cost::number(std::int64_t value) {
  Cost cost;
  if (value != 0) cost.terms_[""] = static_cast<double>(value);
  return cost;
}

Cost Cost::symbol(const std::string& name) {
  Cost cost;
  cost.terms_[name] = 1;
  return cost;
}

void Cost::add(const Cost& other) {
  for (const auto& [symbols, coefficient] : other.terms_) terms_[symbols] += coefficient;
}

Cost Cost::times(const Cost& other) const {
  Cost result;
  for (const auto& [symbols, coefficient] : terms_) {
    for (const auto& [other_symbols, other_coefficient] : other.terms_) {
      const std::string joint =
          symbols + (symbols.empty() || other_symbols.empty() ? "" : "*") + other_symbols;
      result.terms_[joint] += coefficient * other_coefficient;
    }
  }
  return result;
}

Cost Cost::times(const Dimension& dimension, const std::string& unknown_name) const {
  if (dimension.is_known()) return times(number(dimension.number()));
  return times(symbol(dimension.is_symbol() ? dimension.symbol() : unknown_name));
}

std::optional<std::int64_t> Cost::value() const {
  double sum = 0;
  for (const auto& [symbols, coefficient] : terms_) {
    if (!symbols.empty()) return std::nullopt;
    sum += coefficient;
  }
  if (sum >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

std::string Cost::formula() const {
  std::string text;
  for (const auto& [symbols, coefficient] : terms_) {
    if (!text.empty()) text += " + ";
    const std::string factor = coefficient < 0x1p63
                                   ? std::to_string(static_cast<std::int64_t>(coefficient))
                                   : format("{}", coefficient);
    text += symbols.empty() ? factor : coefficient == 1 ? symbols : factor + "*" + symbols;
  }
  return text.empty() ? "0" : text;
}

}  // namespace ortool
