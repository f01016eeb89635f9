// Kernels for CenterCropPad.
#include "libcore/ops/tensor/center_crop_pad.hpp"

#include <array>
#include <numeric>
#include <utility>

#include "kernels/cpu/data_movement/pad.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"
#include "providers/cpu/support/string_kernel.hpp"

namespace ortool::cpu {
namespace {

KernelPtr compile_center_crop_pad(const NodeView&, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [](const PrepareContext& context) {
    const Operand& input = context.inputs[0];
    const Shape& output = context.outputs[0].shape;
    std::vector<std::int64_t> before;
    std::vector<std::int64_t> after;
    for (std::int64_t axis = 0; axis < output.rank(); ++axis) {
      // An odd element is added or removed at the end.
      const std::int64_t more = output[axis] - input.shape[axis];
      before.push_back(more / 2);
      after.push_back(more - more / 2);
    }
    Preparation preparation;
    if (input.shape == output) preparation.view_of = 0;
    PadPlan plan(input.shape.dimensions(), before, after, PadMode::constant,
                 element_bits(input.type) / 8);
    return make_prepared(preparation, [plan = std::move(plan)](const RunContext& run) {
      constexpr std::array<std::byte, 16> zero = {};
      plan.run(run.input<std::byte>(0), run.output<std::byte>(0), zero.data(), run.workers());
    });
  });
}

KernelPtr compile_string_crop_pad(const NodeView& view, const KernelRow& row,
                                  const CompileContext& context) {
  return make_string_kernel(row.name, compile_center_crop_pad(view, row, context));
}

bool accepts_string_crop(const NodeView& view) {
  return view.input_type(0) == DataType::string;
}

constexpr auto center_crop_pad_rows =
    join_rows(portable_row("center_crop_pad", "CenterCropPad", int8_type_names, accepts_whole_bytes,
                           compile_center_crop_pad),
              portable_row("center_crop_pad_strings", "CenterCropPad", "string",
                           accepts_string_crop, compile_string_crop_pad));

}  // namespace

std::span<const KernelRow> center_crop_pad_kernels() {
  return center_crop_pad_rows;
}

}  // namespace ortool::cpu
