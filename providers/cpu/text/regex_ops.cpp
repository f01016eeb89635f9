// Kernels for the regular expression operators of ai.onnx.contrib, based on RE2, whose run time is
// linear in the text.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <re2/re2.h>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/utf8.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/text/string_regex.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/text/regex_pattern.hpp"
#include "providers/cpu/text/text_values.hpp"

namespace ortool::cpu {
namespace {

/// What ECMAScript's patterns may contain, and no automaton can search.
void refuse_backtracking(std::string_view pattern) {
  const char* what = nullptr;
  for (std::size_t i = 0; i + 1 < pattern.size() && what == nullptr; ++i) {
    const std::string_view rest = pattern.substr(i);
    if (rest.starts_with("(?=") || rest.starts_with("(?!")) what = "a lookahead";
    if (rest[0] == '\\' && rest[1] >= '1' && rest[1] <= '9') what = "a backreference";
    if (rest[0] == '\\') ++i;
  }
  if (what == nullptr) return;
  throw Error(ErrorCode::unsupported, format("the pattern {} contains {}", quote(pattern), what),
              "patterns are searched in time linear in the text, which excludes lookaheads and "
              "backreferences");
}

Pattern compile_ecma(const std::string& pattern, bool ignores_case) {
  refuse_backtracking(pattern);
  return compile_pattern(pattern, {.ignores_case = ignores_case});
}

/// The texts of a match: the whole, then its groups.
class Match {
 public:
  explicit Match(const RE2& pattern)
      : groups_(static_cast<std::size_t>(pattern.NumberOfCapturingGroups()) + 1) {}

  bool find(const RE2& pattern, std::string_view text, std::size_t begin, RE2::Anchor anchor) {
    return pattern.Match(re2::StringPiece(text.data(), text.size()), begin, text.size(), anchor,
                         groups_.data(), static_cast<int>(groups_.size()));
  }
  std::size_t group_count() const { return groups_.size(); }
  std::string_view group(std::size_t index) const {
    return index < groups_.size()
               ? std::string_view(groups_[index].data(), groups_[index].size())
               : std::string_view();
  }
  /// Where a group lies in the text that was searched.
  std::size_t begin(std::string_view text, std::size_t index = 0) const {
    return static_cast<std::size_t>(groups_[index].data() - text.data());
  }
  std::size_t end(std::string_view text) const { return begin(text) + groups_[0].size(); }

 private:
  std::vector<re2::StringPiece> groups_;
};

/// Calls body(match, before), with the text between the last match and this one, for each match as
/// ECMAScript finds them: after an empty match, one that is not empty may begin at the same place.
/// Returns what follows the last match.
template <typename Body>
std::string_view for_each_match(const RE2& pattern, std::string_view text, bool finds_all,
                                Body body) {
  Match match(pattern);
  std::size_t copied = 0;
  std::size_t at = 0;
  while (at <= text.size() && match.find(pattern, text, at, RE2::UNANCHORED)) {
    const std::size_t begin = match.begin(text);
    body(match, text.substr(copied, begin - copied));
    copied = match.end(text);
    at = copied;
    if (!finds_all) break;
    if (copied != begin) continue;
    if (at == text.size()) break;
    at += std::max<std::size_t>(read_utf8(text.substr(at)).bytes, 1);
  }
  return text.substr(copied);
}

/// The text for a match in ECMAScript's form: $1, $&, $`, $' and $$.
void append_ecma(std::string& out, std::string_view rewrite, const Match& match,
                 std::string_view before, std::string_view after) {
  for (std::size_t i = 0; i < rewrite.size(); ++i) {
    const char next = rewrite[i] == '$' && i + 1 < rewrite.size() ? rewrite[i + 1] : '\0';
    const auto is_digit = [&](std::size_t at) {
      return at < rewrite.size() && rewrite[at] >= '0' && rewrite[at] <= '9';
    };
    if (next == '$') {
      out += '$';
    } else if (next == '&') {
      out += match.group(0);
    } else if (next == '`') {
      out += before;
    } else if (next == '\'') {
      out += after;
    } else if (next != '\0' && is_digit(i + 1)) {
      auto number = static_cast<std::size_t>(next - '0');
      if (is_digit(i + 2)) number = number * 10 + static_cast<std::size_t>(rewrite[++i + 1] - '0');
      out += match.group(number);
    } else {
      out += rewrite[i];
      continue;
    }
    ++i;
  }
}

void run_ecma_replace(const extensions::StringECMARegexReplace& op, DynamicContext& context) {
  const Pattern pattern = compile_ecma(single_text(context, 1, "pattern"), op.ignores_case);
  const std::string& rewrite = single_text(context, 2, "rewrite");
  TextList out(context);
  for (const std::string& text : context.input(0).strings()) {
    std::string result;
    const std::string_view whole = text;
    const std::string_view rest = for_each_match(
        *pattern, text, op.replaces_all, [&](const Match& match, std::string_view before) {
          context.workers().poll();
          result += before;
          append_ecma(result, rewrite, match, before, whole.substr(match.end(whole)));
          check_room(context, static_cast<std::int64_t>(result.size()), "replaced texts");
        });
    result += rest;
    out.add(std::move(result));
  }
  context.set_output(0, out.take(context.input(0).shape()));
}

void run_replace(const extensions::StringRegexReplace& op, DynamicContext& context) {
  const Pattern pattern = compile_pattern(single_text(context, 1, "pattern"));
  const std::string& rewrite = single_text(context, 2, "rewrite");
  std::string problem;
  if (!pattern->CheckRewriteString(rewrite, &problem)) {
    throw Error(ErrorCode::invalid, format("the replacement {} does not fit the pattern: {}",
                                           quote(rewrite), escape_control_characters(problem)));
  }
  TextList out(context);
  for (const std::string& text : context.input(0).strings()) {
    // An empty match may add the replacement beside every byte.
    check_room(context, multiply_sizes(static_cast<std::int64_t>(text.size()) + 1, 2),
               "replaced texts");
    context.workers().poll();
    std::string result = text;
    if (op.replaces_all) {
      RE2::GlobalReplace(&result, *pattern, rewrite);
    } else {
      RE2::Replace(&result, *pattern, rewrite);
    }
    out.add(std::move(result));
  }
  context.set_output(0, out.take(context.input(0).shape()));
}

/// The pieces of texts, as the outputs of both splitting operators.
class Pieces {
 public:
  explicit Pieces(DynamicContext& context) : context_(context), words_(context) {}

  void add(std::string_view text, std::size_t begin, std::size_t end) {
    if (begin == end) return;
    words_.add(std::string(text.substr(begin, end - begin)));
    begins_.push_back(static_cast<std::int64_t>(begin));
    ends_.push_back(static_cast<std::int64_t>(end));
  }
  void begin_text() { rows_.push_back(words_.size()); }
  void write() {
    begin_text();
    const Shape shape{words_.size()};
    context_.set_output(0, words_.take(shape));
    context_.set_output(1, integer_tensor(context_, shape, begins_));
    context_.set_output(2, integer_tensor(context_, shape, ends_));
    const auto rows = static_cast<std::int64_t>(rows_.size());
    if (context_.has_output(3))
      context_.set_output(3, integer_tensor(context_, Shape{rows}, rows_));
  }

 private:
  DynamicContext& context_;
  TextList words_;
  std::vector<std::int64_t> begins_;
  std::vector<std::int64_t> ends_;
  std::vector<std::int64_t> rows_;
};

/// Splits at group `group` of each match; what lies between the group's end and the match's end
/// belongs to no piece.
void split_texts(DynamicContext& context, const RE2& delimiter, const RE2* kept,
                 std::size_t group) {
  Pieces pieces(context);
  for (const std::string& text : context.input(0).strings()) {
    context.workers().poll();
    pieces.begin_text();
    Match match(delimiter);
    std::size_t last = 0;
    std::size_t at = 0;
    while (group < match.group_count() && at < text.size() &&
           match.find(delimiter, text, at, RE2::UNANCHORED)) {
      const std::string_view found = match.group(group);
      const std::size_t end = match.end(text);
      if (end == match.begin(text) || found.data() == nullptr) {
        // Nothing that could separate: search behind the next character.
        at = std::max(end, at);
        if (at >= text.size()) break;
        at += std::max<std::size_t>(read_utf8(std::string_view(text).substr(at)).bytes, 1);
        continue;
      }
      const std::size_t begin = match.begin(text, group);
      pieces.add(text, last, begin);
      if (kept != nullptr &&
          RE2::FullMatch(re2::StringPiece(found.data(), found.size()), *kept))
        pieces.add(text, begin, begin + found.size());
      last = end;
      at = end;
    }
    pieces.add(text, last, text.size());
  }
  pieces.write();
}

/// The pattern of delimiters to keep; empty if there is none.
std::string kept_pattern(const DynamicContext& context) {
  return context.input(2).strings().empty() ? std::string()
                                            : single_text(context, 2, "keep_delim_regex_pattern");
}

void run_regex_split(const extensions::StringRegexSplitWithOffsets&, DynamicContext& context) {
  const Pattern delimiter = compile_pattern(single_text(context, 1, "delim_regex_pattern"));
  const std::string kept = kept_pattern(context);
  split_texts(context, *delimiter, kept.empty() ? nullptr : compile_pattern(kept).get(), 1);
}

void run_ecma_split(const extensions::StringECMARegexSplitWithOffsets& op,
                    DynamicContext& context) {
  const Pattern delimiter =
      compile_ecma(single_text(context, 1, "delim_regex_pattern"), op.ignores_case);
  const std::string kept = kept_pattern(context);
  split_texts(context, *delimiter,
              kept.empty() ? nullptr : compile_ecma(kept, op.ignores_case).get(), 0);
}

template <typename Op, void (*run)(const Op&, DynamicContext&)>
KernelPtr compile_regex_op(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(
      row.name, [op = read_op<Op>(view.node())](DynamicContext& context) { run(op, context); });
}

template <typename Op, void (*run)(const Op&, DynamicContext&)>
constexpr std::array<KernelRow, 1> regex_row(std::string_view name, std::string_view op_type) {
  return portable_row(name, op_type, "string", accepts_anything, compile_regex_op<Op, run>,
                      extensions_domain);
}

constexpr auto regex_ops_rows =
    join_rows(regex_row<extensions::StringECMARegexReplace, run_ecma_replace>(
                  "string_ecma_regex_replace", "StringECMARegexReplace"),
              regex_row<extensions::StringECMARegexSplitWithOffsets, run_ecma_split>(
                  "string_ecma_regex_split", "StringECMARegexSplitWithOffsets"),
              regex_row<extensions::StringRegexReplace, run_replace>("string_regex_replace",
                                                                     "StringRegexReplace"),
              regex_row<extensions::StringRegexSplitWithOffsets, run_regex_split>(
                  "string_regex_split", "StringRegexSplitWithOffsets"));

}  // namespace

std::span<const KernelRow> regex_ops_kernels() {
  return regex_ops_rows;
}

}  // namespace ortool::cpu
