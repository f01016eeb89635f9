// Pre-tokenization with RE2. GPT-2's pattern has a lookahead, so that the last space before a word
// belongs to the word; it is replaced by a rule on the matches.
#include <algorithm>
#include <string>

#include <re2/re2.h>

#include "libcore/base/error.hpp"
#include "libcore/base/utf8.hpp"
#include "providers/cpu/text/pre_tokenizer.hpp"

namespace ortool::cpu {
namespace {

#define ORTOOL_WHITE_SPACE \
  R"(\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000})"

constexpr const char* gpt2_pattern =
    R"(('s|'t|'re|'ve|'m|'ll|'d| ?\pL+| ?\pN+| ?[^\pL\pN)" ORTOOL_WHITE_SPACE
    R"(]+)|([)" ORTOOL_WHITE_SPACE R"(]+))";
constexpr const char* clip_pattern =
    R"(((?i)'s|'t|'re|'ve|'m|'ll|'d|\pL+|\pN+|[^\pL\pN)" ORTOOL_WHITE_SPACE
    R"(]+)|([)" ORTOOL_WHITE_SPACE R"(]+))";

#undef ORTOOL_WHITE_SPACE

RE2::Options pattern_options() {
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(std::int64_t{64} << 20U);
  return options;
}

}  // namespace

struct PreTokenizer::Pattern {
  WordPattern kind;
  RE2 expression;
};

PreTokenizer::PreTokenizer(WordPattern pattern)
    : pattern_(new Pattern{pattern, RE2(pattern == WordPattern::gpt2 ? gpt2_pattern : clip_pattern,
                                        pattern_options())}) {
  ORTOOL_CHECK(pattern_->expression.ok());
}

PreTokenizer::~PreTokenizer() = default;

std::vector<std::string_view> PreTokenizer::split(std::string_view text) const {
  const bool keeps_spaces = pattern_->kind == WordPattern::gpt2;
  std::vector<std::string_view> words;
  re2::StringPiece groups[3];
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const bool has_match =
        pattern_->expression.Match(re2::StringPiece(rest.data(), rest.size()), 0, rest.size(),
                                   RE2::ANCHOR_START, groups, 3);
    if (!has_match || groups[0].empty()) {
      // A byte that is no UTF-8 is a word of its own.
      words.push_back(rest.substr(0, 1));
      ++at;
      continue;
    }
    std::size_t bytes = groups[0].size();
    const bool is_space = groups[2].data() != nullptr;
    if (is_space && keeps_spaces && at + bytes < text.size()) {
      const std::size_t last = last_character_bytes(rest.substr(0, bytes));
      if (bytes > last) bytes -= last;
    }
    if (!is_space || keeps_spaces) words.push_back(rest.substr(0, bytes));
    at += bytes;
  }
  return words;
}

}  // namespace ortool::cpu
