// Kernel for com.microsoft.Tokenizer: tokens by regular expressions, based on RE2.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <re2/re2.h>

#include "libcore/base/format.hpp"
#include "libcore/base/utf8.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/tokenizer.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/value_memory.hpp"
#include "providers/cpu/text/regex_pattern.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t token_grain = 16;
constexpr std::string_view start_mark = "\x02";
constexpr std::string_view end_mark = "\x03";

using TokenPieces = std::vector<std::string_view>;

/// Of a byte that no character begins with, too: patterns may match single bytes by \C.
std::size_t bytes_of_character(std::string_view text) {
  return text.empty() ? 1 : std::max<std::size_t>(read_utf8(text).bytes, 1);
}

/// Characters of a text that is valid but where \C cut it.
std::int64_t count_characters(std::string_view text) {
  return std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80; });
}

class RegexTokenizer {
 public:
  explicit RegexTokenizer(const Tokenizer& op) : op_(op) {
    if (op.splits_characters()) return;
    const PatternOptions options{.takes_longest = true};
    for (const std::string& pattern : op.separators)
      separators_.push_back(compile_pattern(pattern, options));
    if (separators_.empty()) token_ = compile_pattern(op.token_pattern, options);
  }

  const Tokenizer& op() const { return op_; }

  /// The tokens of a text, as pieces of it.
  TokenPieces tokens(std::string_view text, Workers& workers) const {
    if (!is_valid_utf8(text))
      throw Error(ErrorCode::invalid, "a text is not valid UTF-8 (expected texts in UTF-8)");
    if (op_.splits_characters()) return characters(text);
    if (token_ != nullptr) return matches(text, workers);
    TokenPieces pieces = {text};
    for (const Pattern& separator : separators_) {
      TokenPieces cut;
      for (const std::string_view piece : pieces) split(*separator, piece, cut, workers);
      pieces = std::move(cut);
    }
    return pieces;
  }

 private:
  static std::optional<std::string_view> find(const RE2& pattern, std::string_view text,
                                              std::size_t begin, Workers& workers) {
    workers.poll();
    re2::StringPiece match;
    if (begin > text.size() || !pattern.Match(re2::StringPiece(text.data(), text.size()), begin,
                                              text.size(), RE2::UNANCHORED, &match, 1))
      return std::nullopt;
    return std::string_view(match.data(), match.size());
  }

  static TokenPieces characters(std::string_view text) {
    TokenPieces pieces;
    while (!text.empty()) {
      pieces.push_back(text.substr(0, bytes_of_character(text)));
      text.remove_prefix(pieces.back().size());
    }
    return pieces;
  }

  void add(std::string_view piece, TokenPieces& pieces) const {
    if (count_characters(piece) < op_.least_characters) return;
    if (!is_valid_utf8(piece)) {
      throw Error(ErrorCode::invalid, "a token begins or ends within a character",
                  "patterns match single bytes by \\C; whole characters are matched by .");
    }
    pieces.push_back(piece);
  }

  /// Adds what lies between matches of `separator`. An empty match separates at the next
  /// character, which belongs to no piece.
  void split(const RE2& separator, std::string_view text, TokenPieces& pieces,
             Workers& workers) const {
    std::size_t begin = 0;
    while (const auto match = find(separator, text, begin, workers)) {
      const auto at = static_cast<std::size_t>(match->data() - text.data());
      add(text.substr(begin, at - begin), pieces);
      begin = at + (match->empty() ? bytes_of_character(text.substr(at)) : match->size());
    }
    if (begin < text.size()) add(text.substr(begin), pieces);
  }

  /// What the pattern matches; after a match with too few characters, the next may begin at its
  /// second one.
  TokenPieces matches(std::string_view text, Workers& workers) const {
    TokenPieces pieces;
    std::size_t begin = 0;
    while (const auto match = find(*token_, text, begin, workers)) {
      const auto at = static_cast<std::size_t>(match->data() - text.data());
      const std::size_t count = pieces.size();
      add(*match, pieces);
      begin = at + (pieces.size() > count ? match->size() : bytes_of_character(text.substr(at)));
    }
    return pieces;
  }

  Tokenizer op_;
  std::vector<Pattern> separators_;
  Pattern token_;
};

void write_tokens(const Tokenizer& op, const TokenPieces& pieces, std::span<std::string> row) {
  auto out = row.begin();
  if (op.marks_ends) *out++ = start_mark;
  out = std::ranges::copy(pieces, out).out;
  if (op.marks_ends) *out++ = end_mark;
  std::fill(out, row.end(), op.padding);
}

void run_regex_tokenizer(const RegexTokenizer& tokenizer, DynamicContext& context) {
  const Tensor& in = context.input(0);
  const std::span<const std::string> texts = in.strings();
  std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
  if (shape.empty() || shape.size() > 2) {
    throw Error(ErrorCode::invalid,
                format("'X' has the shape {} (expected C or N x C)", in.shape().to_string()));
  }
  if (texts.empty()) {
    shape.back() = 0;
    context.set_output(0, context.make(DataType::string, Shape(std::move(shape))));
    return;
  }
  std::vector<TokenPieces> rows(texts.size());
  const auto count = static_cast<std::int64_t>(texts.size());
  context.workers().parallel_ranges(count, token_grain, [&](auto begin, auto end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      rows[i] = tokenizer.tokens(texts[i], context.workers());
  });
  const Tokenizer& op = tokenizer.op();
  std::size_t most = std::ranges::max(rows, {}, &TokenPieces::size).size();
  if (op.marks_ends && most > 0) most += 2;
  shape.push_back(static_cast<std::int64_t>(most));
  check_string_room(context, multiply_sizes(count, shape.back()));
  Tensor out = context.make(DataType::string, Shape(std::move(shape)));
  const std::span<std::string> tokens = out.mutable_strings();
  for (std::size_t i = 0; i < rows.size() && most > 0; ++i)
    write_tokens(op, rows[i], tokens.subspan(i * most, most));
  context.set_output(0, std::move(out));
}

KernelPtr compile_regex_tokenizer(const NodeView& view, const KernelRow& row,
                                  const CompileContext&) {
  const auto tokenizer = std::make_shared<const RegexTokenizer>(read_op<Tokenizer>(view.node()));
  return make_dynamic_kernel(
      row.name, [tokenizer](DynamicContext& context) { run_regex_tokenizer(*tokenizer, context); });
}

constexpr auto regex_tokenizer_rows =
    portable_row("regex_tokenizer", "Tokenizer", "string", accepts_anything,
                 compile_regex_tokenizer, contrib_domain);

}  // namespace

std::span<const KernelRow> regex_tokenizer_kernels() {
  return regex_tokenizer_rows;
}

}  // namespace ortool::cpu
