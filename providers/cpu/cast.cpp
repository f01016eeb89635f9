// Kernel rows of Cast, CastLike and Where.
#include "libcore/ops/tensor/cast.hpp"

#include "kernels/cpu/cast.hpp"
#include "providers/cpu/accepts.hpp"
#include "providers/cpu/function_kernel.hpp"
#include "providers/cpu/kernel_files.hpp"
#include "providers/cpu/level_rows.hpp"

namespace ortool::cpu {
namespace {

bool accepts_cast(const NodeView& view) {
  return is_computable(view.input_type(0)) && is_computable(view.output_type(0));
}

KernelPtr compile_cast(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [from = view.input_type(0),
                                to = view.output_type(0)](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    Preparation preparation;
    if (from == to) preparation.view_of = 0;
    return make_prepared(preparation, [=](const RunContext& run) {
      cast(from, run.input<std::byte>(0), to, run.output<std::byte>(0), count, run.workers());
    });
  });
}

bool accepts_where(const NodeView& view) {
  return has_whole_bytes(view.input_type(1));
}

KernelPtr compile_where(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const std::int64_t element_bytes = element_bits(view.input_type(1)) / 8;
  return make_kernel(row.name, [element_bytes](const PrepareContext& context) {
    const auto& inputs = context.inputs;
    OperandSet overwritable;
    for (std::size_t i = 1; i < 3; ++i) {
      if (inputs[i].shape == context.outputs[0].shape) overwritable.add(i);
    }
    return make_prepared(
        {.overwritable = overwritable},
        [element_bytes,
         plan = make_broadcast_plan({inputs[0].shape.dimensions(), inputs[1].shape.dimensions(),
                                     inputs[2].shape.dimensions()})](const RunContext& run) {
          where(run.input<bool>(0), run.input<std::byte>(1), run.input<std::byte>(2),
                run.output<std::byte>(0), plan, element_bytes, run.workers());
        });
  });
}

constexpr const char* cast_type_names = "numbers, bool";

constexpr auto cast_rows =
    join_rows(plain_row("cast", "Cast", cast_type_names, accepts_cast, compile_cast),
              plain_row("cast_like", "CastLike", cast_type_names, accepts_cast, compile_cast),
              plain_row("where", "Where", byte_type_names, accepts_where, compile_where));

}  // namespace

std::span<const KernelRow> cast_kernels() {
  return cast_rows;
}

}  // namespace ortool::cpu
