// Formulas as text: "2*batch + 1", "floor(height/2)", "ceil(width/4)", "min(length, 512)".
#include <algorithm>
#include <cctype>

#include "libcore/graph/formula.hpp"

namespace ortool {
namespace {

/// Names that could be mistaken for arithmetic are quoted.
std::string symbol_text(const std::string& name) {
  const auto is_plain = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.';
  };
  const bool starts_plain = std::isdigit(static_cast<unsigned char>(name[0])) == 0;
  if (starts_plain && std::all_of(name.begin(), name.end(), is_plain)) return name;
  std::string text = "'";
  for (const char letter : name) {
    if (letter == '\'' || letter == '\\') text += '\\';
    text += letter;
  }
  return text + "'";
}

bool is_product(const Formula& formula) {
  return formula.terms().size() == 1 && formula.terms()[0].coefficient > 0;
}

std::string in_brackets(const Formula& formula, bool needs_them) {
  return needs_them ? "(" + formula.to_string() + ")" : formula.to_string();
}

std::string quotient_text(const Formula& dividend, const Formula& divisor) {
  const std::optional<std::int64_t> number = divisor.number();
  // floor((n + c - 1)/c) is printed as a quotient rounded up.
  const std::int64_t constant = dividend.constant_term();
  const bool is_raised = number && *number > 1 && constant == *number - 1;
  const Formula shown = is_raised ? dividend.plus(Formula(-constant)).value_or(dividend) : dividend;
  return std::string(is_raised ? "ceil(" : "floor(") + in_brackets(shown, !is_product(shown)) +
         "/" + in_brackets(divisor, !number && divisor.atom() == nullptr) + ")";
}

std::string atom_text(const Atom& atom) {
  if (atom.kind == Atom::Kind::symbol) return symbol_text(atom.name);
  if (atom.kind == Atom::Kind::quotient) return quotient_text(atom.arguments[0], atom.arguments[1]);
  std::string text = atom.kind == Atom::Kind::minimum   ? "min("
                     : atom.kind == Atom::Kind::maximum ? "max("
                                                        : "broadcast(";
  // 0 has no terms and comes first in the order of formulas; it is printed last.
  const std::size_t first = atom.arguments.front().terms().empty() ? 1 : 0;
  for (std::size_t i = 0; i < atom.arguments.size(); ++i) {
    if (i > 0) text += ", ";
    text += atom.arguments[(i + first) % atom.arguments.size()].to_string();
  }
  return text + ")";
}

std::string factors_text(const std::vector<AtomPointer>& factors) {
  std::string text;
  for (std::size_t i = 0; i < factors.size();) {
    std::size_t next = i + 1;
    while (next < factors.size() && compare(*factors[next], *factors[i]) == 0) ++next;
    if (!text.empty()) text += "*";
    text += atom_text(*factors[i]);
    if (next > i + 1) text += "^" + std::to_string(next - i);
    i = next;
  }
  return text;
}

}  // namespace

std::string Formula::to_string() const {
  if (terms_.empty()) return "0";
  std::string text;
  for (const Term& term : terms_) {
    const bool is_negative = term.coefficient < 0;
    if (!text.empty()) {
      text += is_negative ? " - " : " + ";
    } else if (is_negative) {
      text += "-";
    }
    const std::string digits = std::to_string(term.coefficient).substr(is_negative ? 1 : 0);
    if (term.factors.empty()) {
      text += digits;
    } else {
      if (digits != "1") text += digits + "*";
      text += factors_text(term.factors);
    }
  }
  return text;
}

}  // namespace ortool
