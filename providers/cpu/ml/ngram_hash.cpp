// Kernels for com.microsoft.NGramHashMapping and VarlenNGramHashMapping.
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
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename T>
void check_table_sizes(const NGramOperands<T>& operands, std::int64_t count) {
  const T* const end = operands.sizes + count;
  const T* const wrong = std::find_if(operands.sizes, end, [](T size) { return size < 1; });
  if (wrong != end)
    throw Error(ErrorCode::invalid,
                format("an element of 'vocab_sizes' is {} (expected at least 1)", *wrong));
}

/// Sets what stands for missing ids, and separates sequences, from the id that ends them.
template <typename T>
void use_end(const NGramHashMapping& op, const T* end_id, NGramHash& hash) {
  if (end_id == nullptr) return;
  hash.missing = hash.end = *end_id;
  hash.resets = op.resets_at_end;
}

template <typename T>
void run_ngram_hash(const NGramHashMapping& op, NGramHash hash, const RunContext& run) {
  const NGramOperands<T> operands = {run.input<T>(0), run.input<T>(1), run.input<T>(2),
                                     run.input<T>(3), run.input<T>(4), run.input<std::int32_t>(6)};
  check_table_sizes(operands, op.hash_count());
  use_end(op, run.input<T>(5), hash);
  ngram_hash(hash, operands, {run.output<T>(0), run.output<T>(1)}, run.workers());
}

void check_bounds(const std::int32_t* bounds, const NGramHash& hash) {
  bool is_valid = bounds[0] == 0 && bounds[hash.batch] == hash.length;
  for (std::int64_t i = 0; i < hash.batch; ++i) is_valid = is_valid && bounds[i] < bounds[i + 1];
  if (is_valid) return;
  throw Error(ErrorCode::invalid,
              format("'cumulative_sequence_length' does not ascend from 0 to {}, the number of ids",
                     hash.length));
}

template <typename T>
void run_packed_hash(const VarlenNGramHashMapping& op, NGramHash hash, const RunContext& run) {
  NGramOperands<T> operands = {run.input<T>(0), run.input<T>(1), run.input<T>(2),
                               run.input<T>(4), run.input<T>(5), run.input<std::int32_t>(7)};
  operands.bounds = run.input<std::int32_t>(3);
  operands.past_segments = run.input<std::int32_t>(8);
  operands.captured = run.input<std::int32_t>(9);
  check_table_sizes(operands, op.hash_count());
  check_bounds(operands.bounds, hash);
  use_end(op, run.input<T>(6), hash);
  ngram_hash(hash, operands,
             {run.output<T>(0), run.output<T>(1), run.output<std::int32_t>(2), run.output<T>(3)},
             run.workers());
}

NGramHash hash_of(const NGramHashMapping& op, std::int64_t batch, std::int64_t length) {
  return {.batch = batch,
          .length = length,
          .longest = op.longest,
          .heads = op.heads,
          .missing = op.pad,
          .pad = op.pad};
}

KernelPtr compile_ngram_hash(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<NGramHashMapping>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    const Shape& ids = context.inputs[0].shape;
    const NGramHash hash = hash_of(op, ids[0], ids[1]);
    const bool is_wide = context.inputs[0].type == DataType::int64;
    return make_prepared({}, [=](const RunContext& run) {
      is_wide ? run_ngram_hash<std::int64_t>(op, hash, run)
              : run_ngram_hash<std::int32_t>(op, hash, run);
    });
  });
}

KernelPtr compile_packed_hash(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<VarlenNGramHashMapping>(view.node());
  return make_kernel(row.name, [op](const PrepareContext& context) {
    NGramHash hash = hash_of(op, context.inputs[3].shape[0] - 1, context.inputs[0].shape[0]);
    hash.capacity = op.capacity;
    const bool is_wide = context.inputs[0].type == DataType::int64;
    return make_prepared({}, [=](const RunContext& run) {
      is_wide ? run_packed_hash<std::int64_t>(op, hash, run)
              : run_packed_hash<std::int32_t>(op, hash, run);
    });
  });
}

constexpr auto ngram_hash_rows =
    join_rows(portable_row("ngram_hash", "NGramHashMapping", "int32, int64", accepts_anything,
                           compile_ngram_hash, contrib_domain),
              portable_row("packed_ngram_hash", "VarlenNGramHashMapping", "int32, int64",
                           accepts_anything, compile_packed_hash, contrib_domain));

}  // namespace

std::span<const KernelRow> ngram_hash_kernels() {
  return ngram_hash_rows;
}

}  // namespace ortool::cpu
