// Kernels for ReverseSequence and TensorScatter.
#include "kernels/cpu/data_movement/sequence_move.hpp"

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/indexing/tensor_scatter.hpp"
#include "libcore/ops/tensor/reverse_sequence.hpp"
#include "providers/cpu/data_movement/copied_input.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_reverse_sequence(const NodeView& view, const KernelRow& row,
                                   const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<ReverseSequence>(view.node())](const PrepareContext& context) {
        const Operand& input = context.inputs[0];
        const SequenceSizes sizes = {.times = input.shape[op.time_axis],
                                     .batch = input.shape[op.batch_axis],
                                     .is_batch_first = op.batch_axis == 0,
                                     .entry_bytes = input.shape.product(2, input.shape.rank()) *
                                                    (element_bits(input.type) / 8)};
        return make_prepared({}, [sizes](const RunContext& run) {
          reverse_sequences(run.input<std::byte>(0), run.input<std::int64_t>(1),
                            run.output<std::byte>(0), sizes, run.workers());
        });
      });
}

KernelPtr compile_tensor_scatter(const NodeView& view, const KernelRow& row,
                                 const CompileContext&) {
  return make_kernel(
      row.name, [op = read_op<TensorScatter>(view.node())](const PrepareContext& context) {
        const Operand& cache = context.inputs[0];
        const Shape& shape = cache.shape;
        const std::int64_t axis = normalize_axis(op.axis, shape.rank());
        const CacheSizes sizes = {
            .batch = shape[0],
            .outer = shape.product(1, axis),
            .times = shape[axis],
            .written = context.inputs[1].shape[axis],
            .entry_bytes = shape.product(axis + 1, shape.rank()) * (element_bits(cache.type) / 8)};
        const bool wraps = op.mode == TensorScatter::Mode::circular;
        return make_prepared({.overwritable = {0}}, [=](const RunContext& run) {
          copy_input(cache, run);
          write_into_cache(run.output<std::byte>(0), run.input<std::byte>(1),
                           run.input<std::int64_t>(2), wraps, sizes, run.workers());
        });
      });
}

constexpr auto sequence_move_rows =
    join_rows(portable_row("reverse_sequence", "ReverseSequence", int8_type_names,
                           accepts_whole_bytes, compile_reverse_sequence),
              portable_row("tensor_scatter", "TensorScatter", int8_type_names, accepts_whole_bytes,
                           compile_tensor_scatter));

}  // namespace

std::span<const KernelRow> sequence_move_kernels() {
  return sequence_move_rows;
}

}  // namespace ortool::cpu
