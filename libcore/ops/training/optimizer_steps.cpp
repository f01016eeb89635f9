// Versions of Adagrad, Adam and Momentum, and the assignment of their inputs to tensors.
#include "libcore/ops/training/optimizer_steps.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

namespace {

/// The number of inputs before the tensors: R and T.
constexpr std::int64_t step_scalars = 2;

/// Derives the number of tensors from the number of inputs, and checks the number of outputs.
void share_out(const AttributeReader& attributes, std::int64_t sum_count, OptimizerStep& step) {
  const std::int64_t inputs = attributes.node().input_count() - step_scalars;
  const std::int64_t outputs = attributes.node().output_count();
  const std::int64_t per_tensor = 2 + sum_count;
  step.sum_count = sum_count;
  step.tensor_count = inputs / per_tensor;
  if (inputs % per_tensor == 0 && outputs == step.tensor_count * (1 + sum_count)) return;
  throw Error(ErrorCode::invalid, format("there are {} inputs and {} outputs (expected 2 inputs, "
                                         "plus {} inputs and {} outputs for each tensor)",
                                         inputs + step_scalars, outputs, per_tensor, 1 + sum_count))
      .with_id("node.arity");
}

}  // namespace

constinit const OpSchema Adagrad::schema = {
    "Adagrad",
    "ai.onnx.preview.training",
    {{.since = 1,
      .inputs = {{"R", "T1"}, {"T", "T2"}, {"inputs", "T3", Formal::Count::variadic, 1, false}},
      .outputs = {{"outputs", "T3", Formal::Count::variadic, 1, false}},
      .attributes = {{"decay_factor", AttributeKind::float_number, false, 0.0F},
                     {"epsilon", AttributeKind::float_number, false, 1e-06F},
                     {"norm_coefficient", AttributeKind::float_number, false, 0.0F}},
      .types = {{"T1", types_of({DataType::float32, DataType::float64})},
                {"T2", types::int64_only},
                {"T3", types_of({DataType::float32, DataType::float64})}}}}};

constinit const OpSchema Adam::schema = {
    "Adam",
    "ai.onnx.preview.training",
    {{.since = 1,
      .inputs = {{"R", "T1"}, {"T", "T2"}, {"inputs", "T3", Formal::Count::variadic, 1, false}},
      .outputs = {{"outputs", "T3", Formal::Count::variadic, 1, false}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 0.9F},
                     {"beta", AttributeKind::float_number, false, 0.999F},
                     {"epsilon", AttributeKind::float_number, false, 1e-06F},
                     {"norm_coefficient", AttributeKind::float_number, false, 0.0F},
                     {"norm_coefficient_post", AttributeKind::float_number, false, 0.0F}},
      .types = {{"T1", types_of({DataType::float32, DataType::float64})},
                {"T2", types::int64_only},
                {"T3", types_of({DataType::float32, DataType::float64})}}}}};

constinit const OpSchema Momentum::schema = {
    "Momentum",
    "ai.onnx.preview.training",
    {{.since = 1,
      .inputs = {{"R", "T1"}, {"T", "T2"}, {"inputs", "T3", Formal::Count::variadic, 1, false}},
      .outputs = {{"outputs", "T3", Formal::Count::variadic, 1, false}},
      .attributes = {{"alpha", AttributeKind::float_number, true},
                     {"beta", AttributeKind::float_number, true},
                     {"mode", AttributeKind::string, true},
                     {"norm_coefficient", AttributeKind::float_number, true}},
      .types = {{"T1", types_of({DataType::float32, DataType::float64})},
                {"T2", types::int64_only},
                {"T3", types_of({DataType::float32, DataType::float64})}}}}};

void OptimizerStep::infer(InferContext& context) const {
  check_single(context, 0, "R");
  check_single(context, 1, "T");
  for (std::int64_t i = 0; i < tensor_count; ++i) {
    const std::int64_t value = step_scalars + i;
    DataType element = context.element(value);
    PartialShape shape = context.shape(value);
    for (std::int64_t part = 1; part < 2 + sum_count; ++part) {
      const std::int64_t other = value + part * tensor_count;
      shape = merge_shapes(shape, context.shape(other));
      if (element == DataType::undefined) element = context.element(other);
    }
    for (std::int64_t part = 0; part <= sum_count; ++part)
      context.set_output(part * tensor_count + i, element, shape);
  }
}

void Adagrad::read(AttributeReader& attributes, int) {
  share_out(attributes, 1, *this);
  decay_factor = attributes.number("decay_factor");
  epsilon = attributes.number("epsilon", 1e-6F);
  norm_coefficient = attributes.number("norm_coefficient");
}

void Adam::read(AttributeReader& attributes, int) {
  share_out(attributes, 2, *this);
  alpha = attributes.number("alpha", 0.9F);
  beta = attributes.number("beta", 0.999F);
  epsilon = attributes.number("epsilon", 1e-6F);
  norm_coefficient = attributes.number("norm_coefficient");
  norm_coefficient_post = attributes.number("norm_coefficient_post");
}

void Momentum::read(AttributeReader& attributes, int) {
  share_out(attributes, 1, *this);
  alpha = attributes.number("alpha");
  beta = attributes.number("beta");
  norm_coefficient = attributes.number("norm_coefficient");
  is_nesterov = attributes.choice("mode", {"standard", "nesterov"}, 0) == 1;
}

}  // namespace ortool
