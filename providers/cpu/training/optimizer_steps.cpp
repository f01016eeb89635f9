// Kernels for Adagrad, Adam and Momentum, which update one tensor after the other.
#include "libcore/ops/training/optimizer_steps.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "kernels/cpu/training/optimizer_steps.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "providers/cpu/support/isa_rows.hpp"
#include "providers/cpu/support/optional_output.hpp"

namespace ortool::cpu {
namespace {

constexpr const char* training_domain = "ai.onnx.preview.training";
constexpr std::size_t first_tensor = 2;  ///< the inputs before are learning rate and update count

/// Operand indices of one tensor: among the inputs its parameters, gradients, then running sums;
/// among the outputs its parameters, then running sums.
struct TensorStep {
  DataType type = DataType::float32;
  std::int64_t count = 0;
  std::vector<std::size_t> inputs;
  std::vector<OptionalOutput> outputs;
};

TensorStep plan_tensor_step(const OptimizerStep& op, const PrepareContext& context,
                            std::size_t index, WorkspaceLayout& layout) {
  const auto tensors = static_cast<std::size_t>(op.tensor_count);
  const auto sums = static_cast<std::size_t>(op.sum_count);
  const Operand& x = context.inputs[first_tensor + index];
  TensorStep step = {.type = x.type, .count = x.shape.element_count()};
  for (std::size_t part = 0; part < 2 + sums; ++part) {
    step.inputs.push_back(first_tensor + part * tensors + index);
    const Operand& operand = context.inputs[step.inputs.back()];
    if (operand.type != x.type || operand.shape != x.shape) {
      throw Error(ErrorCode::invalid,
                  format("input {} is {}[{}] (expected {}[{}], as the tensor is)",
                         step.inputs.back(), name_of(operand.type), operand.shape.to_string(),
                         name_of(x.type), x.shape.to_string()));
    }
  }
  const std::int64_t bytes = bytes_of(x.type, step.count);
  for (std::size_t part = 0; part < 1 + sums; ++part)
    step.outputs.emplace_back(context, part * tensors + index, bytes, layout);
  return step;
}

/// The step of one tensor in one run; T is its type.
template <typename T>
class StepRun {
 public:
  StepRun(const RunContext& run, double rate, const TensorStep& step)
      : run_(run), rate_(rate), step_(step) {}

  double rate() const { return rate_; }
  std::int64_t updates() const { return *run_.input<std::int64_t>(1); }
  Workers& workers() const { return run_.workers(); }
  StepOperands<T> operands() const { return {input(0), input(1), output(0), step_.count}; }
  const T* input(std::size_t part) const { return run_.input<T>(step_.inputs[part]); }
  T* output(std::size_t part) const { return step_.outputs[part].write<T>(run_); }

 private:
  const RunContext& run_;
  double rate_;
  const TensorStep& step_;
};

template <typename T>
void take_step(const Adagrad& op, const StepRun<T>& step) {
  const double rate = step.rate() / (1 + static_cast<double>(step.updates()) *
                                             static_cast<double>(op.decay_factor));
  adagrad_step<T>({static_cast<T>(rate), T(op.norm_coefficient), T(op.epsilon)}, step.operands(),
                  step.input(2), step.output(1), step.workers());
}

template <typename T>
void take_step(const Adam& op, const StepRun<T>& step) {
  double rate = step.rate();
  if (const auto updates = static_cast<double>(step.updates()); updates > 0) {
    rate *= std::sqrt(1 - std::pow(static_cast<double>(op.beta), updates)) /
            (1 - std::pow(static_cast<double>(op.alpha), updates));
  }
  adam_step<T>({static_cast<T>(rate), T(op.alpha), T(op.beta), T(op.norm_coefficient),
                T(op.norm_coefficient_post), T(op.epsilon)},
               step.operands(), step.input(2), step.input(3), step.output(1), step.output(2),
               step.workers());
}

template <typename T>
void take_step(const Momentum& op, const StepRun<T>& step) {
  momentum_step<T>({static_cast<T>(step.rate()), T(op.alpha),
                    step.updates() > 0 ? T(op.beta) : T(1), T(op.norm_coefficient), op.is_nesterov},
                   step.operands(), step.input(2), step.output(1), step.workers());
}

template <typename Op>
KernelPtr compile_optimizer(const NodeView& view, const KernelRow& row, const CompileContext&) {
  return make_kernel(row.name, [op = read_op<Op>(view.node())](const PrepareContext& context) {
    WorkspaceLayout layout;
    std::vector<TensorStep> steps;
    for (std::int64_t i = 0; i < op.tensor_count; ++i)
      steps.push_back(plan_tensor_step(op, context, static_cast<std::size_t>(i), layout));
    const bool has_wide_rate = context.inputs[0].type == DataType::float64;
    return make_prepared({.workspace_bytes = layout.bytes()}, [=](const RunContext& run) {
      const double rate =
          has_wide_rate ? *run.input<double>(0) : static_cast<double>(*run.input<float>(0));
      for (const TensorStep& step : steps) {
        if (step.type == DataType::float64) {
          take_step(op, StepRun<double>(run, rate, step));
        } else {
          take_step(op, StepRun<float>(run, rate, step));
        }
      }
    });
  });
}

constexpr const char* step_type_names = "float32, float64";

constexpr auto optimizer_steps_rows =
    join_rows(portable_row("adagrad", "Adagrad", step_type_names, accepts_anything,
                           compile_optimizer<Adagrad>, training_domain),
              portable_row("adam", "Adam", step_type_names, accepts_anything,
                           compile_optimizer<Adam>, training_domain),
              portable_row("momentum", "Momentum", step_type_names, accepts_anything,
                           compile_optimizer<Momentum>, training_domain));

}  // namespace

std::span<const KernelRow> optimizer_steps_kernels() {
  return optimizer_steps_rows;
}

}  // namespace ortool::cpu
