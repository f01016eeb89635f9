// Kernels for CausalConvWithState.
#include "kernels/cpu/conv/causal_conv.hpp"

#include <array>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/attention/linear_attention.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/conv/causal_conv_with_state.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/join_rows.hpp"

namespace ortool::cpu {
namespace {

template <typename Op>
KernelPtr compile_causal_conv(const NodeView& view, const KernelRow& row, const CompileContext&) {
  KernelPtr kernel = make_kernel(row.name, [op = CausalConvWithState(read_op<Op>(view.node())),
                                            isa = row.isa](const PrepareContext& context) {
    const Shape& x = context.inputs[0].shape;
    const CausalConvSizes sizes = {.batch = x[0],
                                   .channels = x[1],
                                   .length = x[2],
                                   .kernel = context.inputs[1].shape[2],
                                   .has_silu = op.has_silu};
    return make_prepared({}, [=](const RunContext& run) {
      causal_conv(sizes, run.input<float>(0), run.input<float>(1), run.input<float>(2),
                  run.input<float>(3), run.output<float>(0), run.output<float>(1), isa,
                  run.workers());
    });
  });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

bool accepts_plain_form(const NodeView& view) {
  const auto op = read_op<ContribCausalConvWithState>(view.node());
  return op.dilation == 1 && !op.has_channels_last && op.state_window == 0 &&
         accepts_float_like(view);
}

constexpr auto causal_conv_rows =
    join_rows(isa_rows<"causal_conv">("CausalConvWithState", float_like_type_names,
                                      accepts_float_like, compile_causal_conv<CausalConvWithState>),
              isa_rows<"contrib_causal_conv">(
                  "CausalConvWithState", float_like_type_names, accepts_plain_form,
                  compile_causal_conv<ContribCausalConvWithState>, contrib_domain));

}  // namespace

std::span<const KernelRow> causal_conv_kernels() {
  return causal_conv_rows;
}

}  // namespace ortool::cpu
