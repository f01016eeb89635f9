// Kernel for Pad.
#include "libcore/ops/tensor/pad.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/cpu/data_movement/pad.hpp"
#include "kernels/cpu/types/convert_element.hpp"
#include "kernels/cpu/types/dispatch_data_type.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/known_operand.hpp"

namespace ortool::cpu {
namespace {

/// The bytes of one element.
using FillBytes = std::array<std::byte, 16>;

PadMode kernel_mode_of(Pad::Mode mode) {
  switch (mode) {
    case Pad::Mode::reflect:
      return PadMode::reflect;
    case Pad::Mode::edge:
      return PadMode::edge;
    case Pad::Mode::wrap:
      return PadMode::wrap;
    default:
      return PadMode::constant;
  }
}

/// The attribute's value in the input's type; 0 is all-zero bytes in every type.
FillBytes fill_bytes(float value, DataType type) {
  FillBytes bytes = {};
  if (value == 0 || !is_computable(type)) return bytes;
  dispatch_data_type(type, [&](auto number) {
    const auto converted = convert_number<decltype(number)>(value);
    std::memcpy(bytes.data(), &converted, sizeof(converted));
  });
  return bytes;
}

KernelPtr compile_pad(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Pad>(view.node())](const PrepareContext& context) {
    const Operand& input = context.inputs[0];
    const bool has_value = context.has_input(2);
    if (has_value && context.inputs[2].shape.element_count() != 1) {
      throw Error(ErrorCode::invalid, format("input 'constant_value' has {} elements (expected 1)",
                                             context.inputs[2].shape.element_count()));
    }
    Pad::Edges edges = Pad::edges(input.shape.rank(), required_operand(context, op.pads, "pads"),
                                  known_operand(context, op.axes, "axes"));
    Preparation preparation;
    if (input.shape == context.outputs[0].shape) {
      const auto is_zero = [](std::int64_t pad) { return pad == 0; };
      if (std::all_of(edges.begins.begin(), edges.begins.end(), is_zero)) preparation.view_of = 0;
    }
    // One input index for each output index along a padded axis.
    std::int64_t places = 0;
    for (std::int64_t axis = 0; axis < input.shape.rank() && op.mode != Pad::Mode::constant; ++axis)
      places += context.outputs[0].shape[axis];
    const MemoryReservation tables(context.cap, places * bytes_of(DataType::int64, 1),
                                   "index tables of Pad");
    PadPlan plan(input.shape.dimensions(), edges.begins, edges.ends, kernel_mode_of(op.mode),
                 element_bits(input.type) / 8);
    return make_prepared(
        preparation, [has_value, plan = std::move(plan),
                      value = fill_bytes(op.value, input.type)](const RunContext& run) {
          const std::byte* fill = has_value ? run.input<std::byte>(2) : value.data();
          plan.run(run.input<std::byte>(0), run.output<std::byte>(0), fill, run.workers());
        });
  });
}

constexpr auto pad_rows =
    portable_row("pad", "Pad", int8_type_names, accepts_whole_bytes, compile_pad);

}  // namespace

std::span<const KernelRow> pad_kernels() {
  return pad_rows;
}

}  // namespace ortool::cpu
