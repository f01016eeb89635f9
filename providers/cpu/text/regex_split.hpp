// Splitting of texts at a pattern, as tokenizers of Hugging Face do it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ortool::cpu {

/// Where the parts that match go.
enum class SplitRule { removed, isolated, merged_with_previous, merged_with_next, contiguous };

class SplitPattern {
 public:
  /// A pattern of Oniguruma, as far as RE2 has it: classes of white space and of words are
  /// Unicode's, and of lookaheads, \s+(?!\S)|\s+ at the end. Throws ErrorCode::unsupported for
  /// others. With `inverted`, what does not match counts as a match.
  SplitPattern(std::string_view pattern, SplitRule behavior, bool inverted);
  ~SplitPattern();
  SplitPattern(SplitPattern&&) noexcept;

  /// The parts of a text, none empty.
  std::vector<std::string_view> split(std::string_view text) const;
  /// The text with each match replaced.
  std::string replaced(std::string_view text, std::string_view content) const;

 private:
  struct Part;
  struct Expression;
  std::vector<Part> parts_of_text(std::string_view text) const;

  std::unique_ptr<const Expression> expression_;
  SplitRule behavior_;
  bool inverted_;
};

/// A pattern that matches a text as it is.
std::string literal_pattern(std::string_view text);

}  // namespace ortool::cpu
