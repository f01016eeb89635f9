// Kernels for com.microsoft.NGramHashMapping.
#include "kernels/cpu/ml/ngram_hash.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/legacy/ngram_hash_mapping.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
void run_ngram_hash(const NGramHashMapping& op, NGramHash hash, const RunContext& run) {
  const NGramOperands<T> operands = {run.input<T>(0), run.input<T>(1), run.input<T>(2),
                                     run.input<T>(3), run.input<T>(4), run.input<std::int32_t>(6)};
  const T* const end = operands.sizes + op.hash_count();
  const T* const wrong = std::find_if(operands.sizes, end, [](T size) { return size < 1; });
  if (wrong != end)
    throw Error(ErrorCode::invalid,
                format("an element of 'vocab_sizes' is {} (expected at least 1)", *wrong));
  const T* const end_id = run.input<T>(5);
  if (end_id != nullptr) {
    hash.missing = hash.end = *end_id;
    hash.resets = op.resets_at_end;
  }
  ngram_hash(hash, operands, run.output<T>(0), run.output<T>(1), run.workers());
}

KernelPtr compile_ngram_hash(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<NGramHashMapping>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const Shape& ids = context.inputs[0].shape;
    const NGramHash hash = {.batch = ids[0],
                            .length = ids[1],
                            .longest = op.longest,
                            .heads = op.heads,
                            .missing = op.pad};
    const bool is_wide = context.inputs[0].type == DataType::int64;
    return make_prepared({}, [=](const RunContext& run) {
      is_wide ? run_ngram_hash<std::int64_t>(op, hash, run)
              : run_ngram_hash<std::int32_t>(op, hash, run);
    });
  });
}

constexpr auto ngram_hash_rows = portable_row("ngram_hash", "NGramHashMapping", "int32, int64",
                                              accepts_anything, compile_ngram_hash, contrib_domain);

}  // namespace

std::span<const KernelRow> ngram_hash_kernels() {
  return ngram_hash_rows;
}

}  // namespace ortool::cpu
