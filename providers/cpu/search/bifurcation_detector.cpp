// Kernel for BifurcationDetector of com.microsoft, whose number of tokens depends on the data.
#include "libcore/ops/contrib/search/bifurcation_detector.hpp"

#include <algorithm>

#include "kernels/cpu/search/bifurcation.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

std::span<const std::int64_t> token_list(const DynamicContext& context, std::size_t input,
                                         std::string_view name) {
  const Tensor& tensor = context.input(input);
  if (tensor.shape().rank() == 1) return tensor.data<std::int64_t>();
  throw Error(ErrorCode::invalid, format("'{}' has the shape {} (expected a vector)", name,
                                         tensor.shape().to_string()));
}

/// The number of predicted tokens to accept: those that copy the source, and the next one.
std::int64_t accepted_tokens(std::span<const std::int64_t> source,
                             std::span<const std::int64_t> predicted, std::int64_t start) {
  const auto size = static_cast<std::int64_t>(source.size());
  if (start < 0 || start > size) {
    throw Error(ErrorCode::invalid,
                format("'prev_suffix_match_idx' is {} (expected 0 to {}, the number of tokens of "
                       "'src_tokens')",
                       start, size));
  }
  if (static_cast<std::int64_t>(predicted.size()) != size + 1 - start) {
    throw Error(ErrorCode::invalid, format("'pred_tokens' has {} tokens (expected {})",
                                           predicted.size(), size + 1 - start));
  }
  return common_prefix(source.subspan(static_cast<std::size_t>(start)), predicted) + 1;
}

KernelPtr compile_bifurcation_detector(const NodeView& view, const KernelRow& row,
                                       const CompileContext&) {
  const auto op = read_op<BifurcationDetector>(view.node());
  return make_dynamic_kernel(row.name, [op](DynamicContext& context) {
    const std::span<const std::int64_t> source = token_list(context, 0, "src_tokens");
    const std::span<const std::int64_t> current = token_list(context, 1, "cur_tokens");
    const Tensor& start = context.input(2);
    if (start.element_count() != 1) {
      throw Error(ErrorCode::invalid, format("'prev_suffix_match_idx' has {} elements (expected 1)",
                                             start.element_count()));
    }
    std::span<const std::int64_t> accepted;
    if (context.has_input(3)) {
      const std::span<const std::int64_t> predicted = token_list(context, 3, "pred_tokens");
      accepted = predicted.first(static_cast<std::size_t>(
          accepted_tokens(source, predicted, start.data<std::int64_t>()[0])));
    }
    Tensor tokens = context.make(
        DataType::int64, Shape{static_cast<std::int64_t>(current.size() + accepted.size())});
    std::int64_t* out = tokens.mutable_data<std::int64_t>().data();
    std::copy(accepted.begin(), accepted.end(), std::copy(current.begin(), current.end(), out));
    Tensor index = context.make(DataType::int64, start.shape());
    index.mutable_data<std::int64_t>()[0] =
        find_suffix(source, tokens.data<std::int64_t>(), op.min_ngram_size, op.max_ngram_size);
    context.set_output(0, std::move(tokens));
    context.set_output(1, std::move(index));
  });
}

constexpr KernelRow bifurcation_rows[] = {{"bifurcation_detector", contrib_domain,
                                           "BifurcationDetector", Isa::baseline, "int64",
                                           accepts_anything, compile_bifurcation_detector}};

}  // namespace

std::span<const KernelRow> bifurcation_detector_kernels() {
  return bifurcation_rows;
}

}  // namespace ortool::cpu
