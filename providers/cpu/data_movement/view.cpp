// Kernels for Reshape-like operators, which give their input's bytes another shape without
// computing anything.
#include "kernels/cpu/elementwise/cast.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_view(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext&) {
    return make_prepared({.view_of = 0}, [](const RunContext&) {});
  });
}

KernelPtr compile_value_identity(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_dynamic_kernel(row.name, [](DynamicContext& context) {
    context.set_output(0, context.value(0).owned(context.cap()));
  });
}

/// BitCast to bool normalizes bytes to 0 or 1, since no other value may be read as bool.
bool accepts_bit_cast_to_bool(const NodeView& view) {
  return view.output_type(0) == DataType::boolean && view.input_type(0) != DataType::boolean;
}

KernelPtr compile_bit_cast_to_bool(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return make_prepared({}, [count](const RunContext& run) {
      cast(DataType::uint8, run.input<std::byte>(0), DataType::boolean, run.output<std::byte>(0),
           count, run.workers());
    });
  });
}

constexpr auto view_rows = join_rows(
    portable_row("bit_cast_to_bool", "BitCast", "8 bits to bool", accepts_bit_cast_to_bool,
                 compile_bit_cast_to_bool),
    portable_row("bit_cast", "BitCast", stored_type_names, accepts_stored, compile_view),
    portable_row("flatten", "Flatten", stored_type_names, accepts_stored, compile_view),
    portable_row("identity", "Identity", stored_type_names, accepts_stored, compile_view),
    portable_row("identity_value", "Identity", "strings, sequences, optionals", accepts_anything,
                 compile_value_identity),
    portable_row("reshape", "Reshape", stored_type_names, accepts_stored, compile_view),
    portable_row("squeeze", "Squeeze", stored_type_names, accepts_stored, compile_view),
    portable_row("unsqueeze", "Unsqueeze", stored_type_names, accepts_stored, compile_view));

}  // namespace

std::span<const KernelRow> view_kernels() {
  return view_rows;
}

}  // namespace ortool::cpu
