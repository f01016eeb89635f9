// Kernel for RegexFullMatch, based on RE2, whose run time is linear in the text.
#include <memory>

#include <re2/re2.h>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/text/string_ops.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/text/regex_pattern.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t match_grain = 256;

KernelPtr compile_regex_full_match(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  const auto op = read_op<RegexFullMatch>(view.node());
  const std::shared_ptr<const RE2> pattern = compile_pattern(op.pattern);
  return make_dynamic_kernel(row.name, [pattern](DynamicContext& context) {
    const std::span<const std::string> texts = context.input(0).strings();
    Tensor out = context.make(DataType::boolean, context.input(0).shape());
    bool* matches = out.mutable_data<bool>().data();
    const auto count = static_cast<std::int64_t>(texts.size());
    context.workers().parallel_ranges(count, match_grain, [&](auto begin, auto end) {
      for (std::int64_t i = begin; i < end; ++i)
        matches[i] = RE2::FullMatch(texts[static_cast<std::size_t>(i)], *pattern);
    });
    context.set_output(0, std::move(out));
  });
}

constexpr auto regex_full_match_rows = portable_row("regex_full_match", "RegexFullMatch", "string",
                                                    accepts_anything, compile_regex_full_match);

}  // namespace

std::span<const KernelRow> regex_full_match_kernels() {
  return regex_full_match_rows;
}

}  // namespace ortool::cpu
