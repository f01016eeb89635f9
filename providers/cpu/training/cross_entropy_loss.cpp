// Kernels for NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
#include "kernels/cpu/training/cross_entropy_loss.hpp"

#include <type_traits>
#include <utility>

#include "kernels/cpu/normalization/softmax.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/loss/negative_log_likelihood_loss.hpp"
#include "libcore/ops/loss/softmax_cross_entropy_loss.hpp"
#include "libcore/provider/workspace_layout.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/fp16_kernel.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"

namespace ortool::cpu {
namespace {

/// Parameters of the losses for one shape; log-probabilities are given or computed first.
struct LossPlan {
  ClassLoss op;
  ClassLossSizes sizes;
  bool takes_softmax = false;
  Isa isa = Isa::baseline;
  bool has_log_output = false;
  std::int64_t log_place = 0;   ///< workspace offset, if they are not an output
  std::int64_t loss_place = 0;  ///< workspace offset, if losses are reduced
};

template <typename T, typename Index>
void run_class_loss(const LossPlan& plan, const RunContext& run) {
  const T* scores = run.input<T>(0);
  if (plan.takes_softmax) {
    T* logarithms = plan.has_log_output ? run.output<T>(1)
                                        : reinterpret_cast<T*>(run.workspace() + plan.log_place);
    softmax(SoftmaxKind::logarithms, scores, logarithms,
            {plan.sizes.samples, plan.sizes.classes, plan.sizes.inner}, run.workers(), plan.isa);
    scores = logarithms;
  }
  T* out = run.output<T>(0);
  if (out == nullptr) return;
  const ClassLabels<T, Index> labels = {run.input<Index>(1), run.input<T>(2), plan.op.ignore_index};
  const bool is_reduced = plan.op.reduction != ClassLoss::Reduction::none;
  T* losses = is_reduced ? reinterpret_cast<T*>(run.workspace() + plan.loss_place) : out;
  class_losses(scores, labels, plan.sizes, losses, run.workers());
  if (is_reduced) {
    *out = reduce_losses(losses, labels, plan.sizes.label_count(),
                         plan.op.reduction == ClassLoss::Reduction::mean);
  }
}

template <typename T>
PreparedPtr prepare_class_loss(const PrepareContext& context, LossPlan plan) {
  const Shape& shape = context.inputs[0].shape;
  plan.sizes = {shape[0], shape[1], shape.product(2, shape.rank())};
  plan.has_log_output = context.has_output(1);
  WorkspaceLayout layout;
  constexpr std::int64_t size = sizeof(T);
  if (plan.takes_softmax && !plan.has_log_output)
    plan.log_place = layout.add(multiply_sizes(shape.element_count(), size));
  if (plan.op.reduction != ClassLoss::Reduction::none)
    plan.loss_place = layout.add(multiply_sizes(plan.sizes.label_count(), size));
  const bool is_wide = context.inputs[1].type == DataType::int64;
  return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
    is_wide ? run_class_loss<T, std::int64_t>(plan, run)
            : run_class_loss<T, std::int32_t>(plan, run);
  });
}

template <typename Op>
KernelPtr compile_class_loss(const NodeView& view, const KernelRow& row, const CompileContext&) {
  const LossPlan plan = {.op = read_op<Op>(view.node()),
                         .takes_softmax = std::is_same_v<Op, SoftmaxCrossEntropyLoss>,
                         .isa = row.isa};
  KernelPtr kernel = make_kernel(row.name, [plan](const PrepareContext& context) {
    return context.inputs[0].type == DataType::float64 ? prepare_class_loss<double>(context, plan)
                                                       : prepare_class_loss<float>(context, plan);
  });
  return accepts_fp16(view) ? make_fp16_kernel(std::move(kernel), row.isa) : std::move(kernel);
}

constexpr auto class_loss_rows = join_rows(
    portable_row("negative_log_likelihood_loss", "NegativeLogLikelihoodLoss", float_type_names,
                 accepts_floats, compile_class_loss<NegativeLogLikelihoodLoss>),
    isa_rows<"softmax_cross_entropy_loss">("SoftmaxCrossEntropyLoss", float_type_names,
                                           accepts_floats,
                                           compile_class_loss<SoftmaxCrossEntropyLoss>));

}  // namespace

std::span<const KernelRow> cross_entropy_loss_kernels() {
  return class_loss_rows;
}

}  // namespace ortool::cpu
