// Kernels for SkipLayerNormalization: sum and normalization in one pass over each row.
#include "libcore/ops/nn/normalization/skip_layer_normalization.hpp"

#include "kernels/cpu/normalization/normalize.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Accepts operands of one shape, with parameters of the size of the normalized axes.
bool accepts_skip_layer(const NodeView& view) {
  return accepts_all_float32(view);
}

KernelPtr compile_skip_layer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const auto op = read_op<ortool::SkipLayerNormalization>(view.node());
  return make_kernel(row.name, [op, isa = row.isa](const PrepareContext& context) {
    const Shape& shape = context.inputs[0].shape;
    const std::int64_t axis = normalize_axis(op.axis, shape.rank());
    const std::int64_t rows = shape.product(0, axis);
    const std::int64_t size = shape.product(axis, shape.rank());
    ORTOOL_CHECK(context.inputs[1].shape == shape);
    ORTOOL_CHECK(context.inputs[2].shape.element_count() == size);
    return make_prepared({}, [=](const RunContext& run) {
      cpu::LayerNormalization layer;
      layer.in = run.input<float>(0);
      layer.skip = run.input<float>(1);
      layer.scale = run.input<float>(2);
      layer.bias = run.input<float>(3);
      layer.out = run.output<float>(0);
      layer.sum = run.output<float>(1);
      layer.rows = rows;
      layer.size = size;
      layer.epsilon = op.epsilon;
      layer_normalization(layer, run.workers(), isa);
    });
  });
}

constexpr auto skip_layer_rows = isa_rows<"skip_layer_normalization_f32">(
    "SkipLayerNormalization", "float32", accepts_skip_layer, compile_skip_layer, "ortool");

}  // namespace

std::span<const KernelRow> skip_layer_normalization_kernels() {
  return skip_layer_rows;
}

}  // namespace ortool::cpu
