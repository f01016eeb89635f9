// Splitting with RE2: patterns are translated, matches become parts, and parts are joined.
#include "providers/cpu/text/regex_split.hpp"

#include <algorithm>
#include <utility>

#include <re2/re2.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/utf8.hpp"

namespace ortool::cpu {
namespace {

constexpr std::string_view space_class =
    R"(\t-\r\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000} )";
constexpr std::string_view word_class = R"(\pL\pM\pN_)";
constexpr std::string_view last_spaces = R"(\s+(?!\S)|\s+)";

/// A class by its letter, as part of a class or alone.
void append_class(std::string& out, char letter, bool is_inside) {
  const std::string_view content = letter == 's' || letter == 'S'   ? space_class
                                   : letter == 'd' || letter == 'D' ? R"(\p{Nd})"
                                                                    : word_class;
  const bool is_negated = letter == 'S' || letter == 'D' || letter == 'W';
  if (is_inside) {
    out += content;
  } else {
    out += is_negated ? "[^" : "[";
    out += content;
    out += ']';
  }
}

/// RE2's form of a pattern; false if it has no such form.
bool translate(std::string_view pattern, std::string& out) {
  bool is_inside = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i];
    if (next == '\\' && i + 1 < pattern.size()) {
      const char letter = pattern[++i];
      const bool is_class = std::string_view("sSdDwW").find(letter) != std::string_view::npos;
      const bool is_upper = letter == 'S' || letter == 'D' || letter == 'W';
      if (is_class && is_inside && is_upper) return false;
      if (is_class) {
        append_class(out, letter, is_inside);
      } else {
        out += next;
        out += letter;
      }
      continue;
    }
    if (next == '[') is_inside = true;
    if (next == ']') is_inside = false;
    out += next;
  }
  return true;
}

}  // namespace

struct SplitPattern::Part {
  std::size_t begin;
  std::size_t end;
  bool is_match;
};

struct SplitPattern::Expression {
  Expression(const std::string& pattern, const RE2::Options& options, bool keeps)
      : re(pattern, options), keeps_last_space(keeps) {}

  RE2 re;
  bool keeps_last_space;  ///< the last group is white space that leaves its last character
};

SplitPattern::SplitPattern(std::string_view pattern, SplitRule behavior, bool inverted)
    : behavior_(behavior), inverted_(inverted) {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(std::int64_t{64} << 20U);
  std::string translated;
  const bool keeps_last_space =
      pattern == last_spaces || pattern.ends_with("|" + std::string(last_spaces));
  bool is_known =
      translate(keeps_last_space ? pattern.substr(0, pattern.size() - last_spaces.size()) : pattern,
                translated);
  if (keeps_last_space) translated += "([" + std::string(space_class) + "]+)";
  if (is_known) {
    expression_ = std::make_unique<Expression>(translated, options, keeps_last_space);
    is_known = expression_->re.ok();
  }
  if (is_known) return;
  throw Error(ErrorCode::unsupported, format("the pattern {} is not supported", quote(pattern)),
              "patterns are RE2's: without lookaheads, backreferences and possessive quantifiers");
}

SplitPattern::~SplitPattern() = default;
SplitPattern::SplitPattern(SplitPattern&&) noexcept = default;

std::vector<SplitPattern::Part> SplitPattern::parts_of_text(std::string_view text) const {
  std::vector<Part> parts;
  const auto groups = static_cast<std::size_t>(expression_->re.NumberOfCapturingGroups()) + 1;
  std::vector<re2::StringPiece> found(groups);
  const re2::StringPiece whole(text.data(), text.size());
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const bool has_match = expression_->re.Match(whole, at, text.size(), RE2::UNANCHORED,
                                                 found.data(), static_cast<int>(groups));
    if (!has_match) break;
    const auto begin = static_cast<std::size_t>(found[0].data() - text.data());
    std::size_t end = begin + found[0].size();
    if (expression_->keeps_last_space && found.back().data() != nullptr && end < text.size()) {
      const std::size_t last = last_character_bytes(text.substr(begin, end - begin));
      if (end - begin > last) end -= last;
    }
    if (end == begin) {
      at = begin +
           std::max<std::size_t>(begin < text.size() ? read_utf8(text.substr(begin)).bytes : 1, 1);
      continue;
    }
    if (begin > done) parts.push_back({done, begin, inverted_});
    parts.push_back({begin, end, !inverted_});
    at = done = end;
  }
  if (done < text.size()) parts.push_back({done, text.size(), inverted_});
  return parts;
}

std::vector<std::string_view> SplitPattern::split(std::string_view text) const {
  std::vector<Part> joined;
  std::vector<Part> parts = parts_of_text(text);
  const bool is_reversed = behavior_ == SplitRule::merged_with_next;
  if (is_reversed) std::reverse(parts.begin(), parts.end());
  bool was_match = false;
  for (const Part& part : parts) {
    const bool merges = behavior_ == SplitRule::merged_with_previous || is_reversed;
    const bool joins =
        !joined.empty() && ((merges && part.is_match && !was_match) ||
                            (behavior_ == SplitRule::contiguous && part.is_match == was_match));
    if (joins) {
      joined.back().begin = std::min(joined.back().begin, part.begin);
      joined.back().end = std::max(joined.back().end, part.end);
    } else if (behavior_ != SplitRule::removed || !part.is_match) {
      joined.push_back(part);
    }
    was_match = part.is_match;
  }
  if (is_reversed) std::reverse(joined.begin(), joined.end());
  std::vector<std::string_view> texts;
  for (const Part& part : joined) texts.push_back(text.substr(part.begin, part.end - part.begin));
  return texts;
}

std::string SplitPattern::replaced(std::string_view text, std::string_view content) const {
  std::string result;
  for (const Part& part : parts_of_text(text))
    result += part.is_match ? content : text.substr(part.begin, part.end - part.begin);
  return result;
}

std::string literal_pattern(std::string_view text) {
  return RE2::QuoteMeta(re2::StringPiece(text.data(), text.size()));
}

}  // namespace ortool::cpu
