// Constant evaluator: checks sizes before computing, unless they depend on data.
#include "libcore/provider/constant_evaluator.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/provider/cache/derived_store.hpp"
#include "libcore/provider/constant_store.hpp"
#include "libcore/provider/evaluate.hpp"
#include "libcore/provider/shape_rule.hpp"

namespace ortool {
namespace {

/// The operands of a node whose inputs are all constants.
std::vector<Operand> constant_operands(const NodeView& view) {
  std::vector<Operand> operands;
  for (const Value* input : view.inputs())
    operands.push_back(input != nullptr ? view.constants()->operand(*input) : Operand());
  return operands;
}

/// The outputs' types and shapes if the shape rule infers all of them.
std::optional<std::vector<Operand>> output_operands(const Node& node,
                                                    const std::vector<Operand>& inputs) {
  std::vector<std::int64_t> wanted;
  std::vector<Operand> outputs;
  for (RuledOutput& ruled : apply_shape_rule(node, inputs, wanted)) {
    const bool is_given = node.output(static_cast<std::int64_t>(outputs.size())) != nullptr;
    if (is_given && !ruled.shape) return std::nullopt;
    outputs.push_back(is_given ? Operand{ruled.type, std::move(*ruled.shape), nullptr} : Operand());
  }
  return outputs;
}

bool fit(const std::vector<Operand>& outputs, std::int64_t max_bytes) {
  std::int64_t bytes = 0;
  for (const Operand& output : outputs) {
    if (!output.is_given()) continue;
    if (output.type == DataType::string) return false;
    bytes += bytes_of(output.type, output.shape.element_count());
  }
  return bytes <= max_bytes;
}

/// Tells everything on which a node's result depends; empty if attributes cannot be told.
std::string folding_key(const NodeView& view, DerivedStore& derived) {
  const Node& node = view.node();
  std::string key = format("folded {}.{} {} (", node.domain(), node.op_type(), node.opset());
  for (const Value* input : view.inputs()) {
    if (input == nullptr) {
      key += "-,";
      continue;
    }
    // As the graph has it: an aligned copy would not tell which file it is from.
    const Tensor& constant = input->constant();
    key += format("{}{}={},", name_of(constant.type()), constant.shape().to_string(),
                  derived.key_of(constant));
  }
  key += ')';
  return append_attributes(node, key) ? key : std::string();
}

}  // namespace

std::optional<std::vector<RunValue>> ConstantEvaluator::run(
    const NodeView& view, std::span<const Operand> inputs,
    const std::optional<std::vector<Operand>>& outputs, std::int64_t max_bytes) const {
  const KernelPtr kernel = provider_.compile(view, context_);
  if (kernel->is_dynamic()) {
    std::int64_t inputs_bytes = 0;
    for (const Operand& input : inputs)
      inputs_bytes += input.is_given() ? input.known.read_value()->size_bytes() : 0;
    if (inputs_bytes > max_bytes) return std::nullopt;
    return evaluate_dynamic(*kernel, view.node(), inputs, context_.workers, context_.cap);
  }
  if (!outputs) return std::nullopt;
  std::vector<RunValue> results;
  for (Tensor& result : ortool::evaluate(*kernel, inputs, *outputs, context_.workers, context_.cap))
    results.emplace_back(std::move(result));
  return results;
}

std::optional<std::vector<RunValue>> ConstantEvaluator::compute(const NodeView& view,
                                                                std::int64_t max_bytes) const {
  const Node& node = view.node();
  const std::vector<Operand> inputs = constant_operands(view);
  const std::optional<std::vector<Operand>> outputs = output_operands(node, inputs);
  if (outputs && !fit(*outputs, max_bytes)) return std::nullopt;
  const bool may_be_kept = derived_ != nullptr && outputs && outputs->size() == 1 &&
                           outputs->front().is_given() &&
                           outputs->front().size_bytes() >= min_derived_bytes;
  const std::string key = may_be_kept ? folding_key(view, *derived_) : std::string();
  if (key.empty()) return run(view, inputs, outputs, max_bytes);
  std::optional<std::vector<RunValue>> results;
  const Operand& output = outputs->front();
  const Tensor kept = derived_->derive(key, output.type, output.shape, [&] {
    results = run(view, inputs, outputs, max_bytes);
    const bool fits = results && results->front().is_tensor();
    return fits ? results->front().tensor() : Tensor();
  });
  if (!results) results.emplace({RunValue(kept)});
  return results;
}

std::optional<std::vector<Tensor>> ConstantEvaluator::evaluate(const Node& node,
                                                               std::int64_t max_bytes) {
  const ConstantStore constants = ConstantStore::share(NodeView(node).inputs(), derived_);
  const std::optional<std::vector<RunValue>> values =
      compute(NodeView(node, &constants), max_bytes);
  if (!values) return std::nullopt;
  std::int64_t bytes = 0;
  std::vector<Tensor> results;
  for (std::size_t i = 0; i < values->size(); ++i) {
    const Value* output = node.output(static_cast<std::int64_t>(i));
    if (output == nullptr) {
      results.emplace_back();
      continue;
    }
    // As a constant, an optional would be indistinguishable from the tensor it holds.
    const bool is_optional = output->type().kind == ValueType::Kind::optional;
    if (is_optional || !(*values)[i].is_tensor()) return std::nullopt;
    results.push_back((*values)[i].tensor());
    bytes += results.back().size_bytes();
  }
  if (bytes > max_bytes) return std::nullopt;
  return results;
}

}  // namespace ortool
