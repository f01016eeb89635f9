// Kernels for StringConcat, StringSplit and StringNormalizer.
#include "libcore/ops/text/string_ops.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "kernels/cpu/parallel/broadcast.hpp"
#include "libcore/base/letter_case.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/value_memory.hpp"
#include "providers/cpu/text/split_text.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t string_grain = 1024;

void run_string_concat(const StringConcat&, DynamicContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const BroadcastPlan plan = make_broadcast_plan(a.shape().dimensions(), b.shape().dimensions());
  check_string_room(context, plan.count);
  const auto for_each_pair = [&](std::int64_t begin, std::int64_t end, auto body) {
    walk_rows(plan, begin, end, [&](const auto& starts, std::int64_t out, std::int64_t length) {
      const auto& strides = plan.loops.back().strides;
      for (std::int64_t i = 0; i < length; ++i) {
        body(static_cast<std::size_t>(out + i),
             a.strings()[static_cast<std::size_t>(starts[0] + i * strides[0])],
             b.strings()[static_cast<std::size_t>(starts[1] + i * strides[1])]);
      }
    });
  };
  std::int64_t bytes = 0;
  for_each_pair(0, plan.count, [&](std::size_t, const std::string& left, const std::string& right) {
    bytes += static_cast<std::int64_t>(left.size() + right.size());
  });
  check_room(context, bytes, "joined strings");
  std::vector<std::string> joined(static_cast<std::size_t>(plan.count));
  context.workers().parallel_ranges(plan.count, string_grain, [&](auto begin, auto end) {
    for_each_pair(begin, end,
                  [&](std::size_t i, const std::string& left, const std::string& right) {
                    joined[i].reserve(left.size() + right.size());
                    joined[i].append(left).append(right);
                  });
  });
  context.set_output(0, Tensor::of_strings(Shape(plan.shape), std::move(joined), context.cap()));
}

void run_string_split(const StringSplit& op, DynamicContext& context) {
  const Tensor& in = context.input(0);
  const std::span<const std::string> texts = in.strings();
  const std::int64_t max_cuts = op.max_cuts.value_or(INT64_MAX);
  Tensor counts = context.make(DataType::int64, in.shape());
  const std::span<std::int64_t> piece_counts = counts.mutable_data<std::int64_t>();
  std::int64_t most = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    piece_counts[i] = 0;
    split_text(texts[i], op.delimiter, max_cuts, [&](std::string_view) { ++piece_counts[i]; });
    most = std::max(most, piece_counts[i]);
  }
  std::vector<std::int64_t> shape(in.shape().begin(), in.shape().end());
  shape.push_back(most);
  check_string_room(context, multiply_sizes(in.element_count(), most));
  Tensor out = context.make(DataType::string, Shape(std::move(shape)));
  const std::span<std::string> pieces = out.mutable_strings();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::size_t at = i * static_cast<std::size_t>(most);
    split_text(texts[i], op.delimiter, max_cuts,
               [&](std::string_view piece) { pieces[at++] = piece; });
  }
  context.set_output(0, std::move(out));
  context.set_output(1, std::move(counts));
}

/// Simple, locale-independent case mapping, except for the dotted i of Turkish and Azeri.
class TextCase {
 public:
  explicit TextCase(const StringNormalizer& op)
      : op_(op), dotted_i_(dotted_i_of_locale(op.locale)) {}

  /// The form in which strings are compared.
  std::string folded(const std::string& text) const {
    return op_.is_case_sensitive ? text : with_letter_case(text, LetterCase::lower, dotted_i_);
  }
  std::string changed(const std::string& text) const {
    using Case = StringNormalizer::Case;
    if (op_.to_case == Case::unchanged) return text;
    return with_letter_case(
        text, op_.to_case == Case::lower ? LetterCase::lower : LetterCase::upper, dotted_i_);
  }

 private:
  const StringNormalizer& op_;
  LetterCaseLocale dotted_i_;
};

void run_string_normalizer(const StringNormalizer& op, DynamicContext& context) {
  const Tensor& in = context.input(0);
  const TextCase text_case(op);
  std::set<std::string, std::less<>> stop_words;
  for (const std::string& word : op.stop_words) stop_words.insert(text_case.folded(word));
  std::vector<std::string> kept;
  for (const std::string& text : in.strings()) {
    if (stop_words.empty() || !stop_words.contains(text_case.folded(text)))
      kept.push_back(text_case.changed(text));
  }
  if (kept.empty()) kept.emplace_back();
  const auto count = static_cast<std::int64_t>(kept.size());
  const Shape shape = in.shape().rank() == 2 ? Shape{1, count} : Shape{count};
  context.set_output(0, Tensor::of_strings(shape, std::move(kept)));
}

template <typename Op, void (*run)(const Op&, DynamicContext&)>
KernelPtr compile_string_op(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(
      row.name, [op = read_op<Op>(view.node())](DynamicContext& context) { run(op, context); });
}

constexpr auto string_ops_rows =
    join_rows(portable_row("string_concat", "StringConcat", "string", accepts_anything,
                           compile_string_op<StringConcat, run_string_concat>),
              portable_row("string_normalizer", "StringNormalizer", "string", accepts_anything,
                           compile_string_op<StringNormalizer, run_string_normalizer>),
              portable_row("string_split", "StringSplit", "string", accepts_anything,
                           compile_string_op<StringSplit, run_string_split>));

}  // namespace

std::span<const KernelRow> string_ops_kernels() {
  return string_ops_rows;
}

}  // namespace ortool::cpu
