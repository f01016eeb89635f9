// Dimensions from text: sums, products and quotients, by recursive descent.
#include "providers/cpu/custom/dimension_text.hpp"

#include <cctype>
#include <string>

namespace ortool::cpu {
namespace {

constexpr int max_nesting = 20;

class DimensionReader {
 public:
  DimensionReader(std::string_view text, const SymbolMap& symbols)
      : rest_(text), symbols_(symbols) {}

  Dimension read() {
    Dimension result = sum(0);
    skip_blanks();
    return is_valid_ && rest_.empty() ? result : Dimension();
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool take(char mark) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != mark) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Dimension sum(int depth) {
    Dimension result = product(depth);
    for (;;) {
      if (take('+')) {
        result = result + product(depth);
      } else if (take('-')) {
        result = result - product(depth);
      } else {
        return result;
      }
    }
  }

  Dimension product(int depth) {
    Dimension result = atom(depth);
    for (;;) {
      if (take('*')) {
        result = result * atom(depth);
      } else if (take('/')) {
        result = floor_divide(result, atom(depth));
      } else {
        return result;
      }
    }
  }

  Dimension atom(int depth) {
    if (take('(')) {
      is_valid_ = is_valid_ && depth < max_nesting;
      Dimension inner = is_valid_ ? sum(depth + 1) : Dimension();
      is_valid_ = is_valid_ && take(')');
      return inner;
    }
    skip_blanks();
    std::string word;
    while (!rest_.empty() && (std::isalnum(static_cast<unsigned char>(rest_.front())) != 0 ||
                              rest_.front() == '_' || rest_.front() == '.')) {
      word += rest_.front();
      rest_.remove_prefix(1);
    }
    constexpr std::size_t most_digits = 18;
    if (word.empty()) {
      is_valid_ = false;
      return {};
    }
    if (word.find_first_not_of("0123456789") != std::string::npos) {
      const auto known = symbols_.find(word);
      return known != symbols_.end() ? known->second : Dimension::symbol(word);
    }
    is_valid_ = is_valid_ && word.size() <= most_digits;
    return is_valid_ ? Dimension(std::stoll(word)) : Dimension();
  }

  std::string_view rest_;
  const SymbolMap& symbols_;
  bool is_valid_ = true;
};

}  // namespace

Dimension parse_dimension(std::string_view text, const SymbolMap& symbols) {
  const auto whole = symbols.find(text);
  if (whole != symbols.end()) return whole->second;
  return DimensionReader(text, symbols).read();
}

}  // namespace ortool::cpu
