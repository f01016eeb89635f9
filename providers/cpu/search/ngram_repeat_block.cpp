// Kernel for NGramRepeatBlock of com.microsoft, row by row.
#include "libcore/ops/contrib/search/ngram_repeat_block.hpp"

#include <algorithm>

#include "kernels/cpu/search/ngram_block.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_ngram_repeat_block(const NodeView& view, const KernelRow& row,
                                     const CompileContext&) {
  const std::int64_t size = read_op<NGramRepeatBlock>(view.node()).ngram_size;
  return make_kernel(row.name, [size](const PrepareContext& context) {
    const std::int64_t length = context.inputs[0].shape[1];
    const std::int64_t rows = context.inputs[1].shape[0];
    const std::int64_t vocabulary = context.inputs[1].shape[1];
    return make_prepared({.overwritable = {1}}, [=](const RunContext& run) {
      const auto* tokens = run.input<std::int64_t>(0);
      const float* scores = run.input<float>(1);
      float* out = run.output<float>(0);
      if (scores != out) std::copy_n(scores, rows * vocabulary, out);
      if (length < size) return;
      run.workers().parallel_for(rows, [&](std::int64_t i) {
        const std::int64_t wrong = block_repeated_ngrams(size, tokens + i * length, length,
                                                         out + i * vocabulary, vocabulary);
        if (wrong < 0) return;
        throw Error(ErrorCode::invalid,
                    format("'input_ids' has a token outside the vocabulary of {} tokens in row {}",
                           vocabulary, i));
      });
    });
  });
}

constexpr KernelRow ngram_rows[] = {{"ngram_repeat_block", contrib_domain, "NGramRepeatBlock",
                                     Isa::baseline, "float32", accepts_anything,
                                     compile_ngram_repeat_block}};

}  // namespace

std::span<const KernelRow> ngram_repeat_block_kernels() {
  return ngram_rows;
}

}  // namespace ortool::cpu
