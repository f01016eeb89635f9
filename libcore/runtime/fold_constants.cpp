// Constant folding by the provider's own kernels, so that folded and computed bits agree.
#include "libcore/runtime/fold_constants.hpp"

#include <algorithm>
#include <array>

#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/aligned_constants.hpp"
#include "libcore/runtime/evaluate.hpp"
#include "libcore/runtime/shape_rule.hpp"

namespace ortool {
namespace {

bool is_random(const Node& node) {
  static constexpr std::array<std::string_view, 6> names = {"Bernoulli",     "Multinomial",
                                                            "RandomNormal",  "RandomNormalLike",
                                                            "RandomUniform", "RandomUniformLike"};
  return std::find(names.begin(), names.end(), node.op_type()) != names.end();
}

bool reads_only_constants(const Node& node) {
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    if (input != nullptr && !input->is_constant()) return false;
  }
  return node.subgraphs().empty() && !is_random(node);
}

/// The outputs' operands when all shapes are known and within the limits.
bool outputs_fit(const std::vector<Operand>& outputs, std::int64_t inputs_bytes,
                 const FoldLimits& limits, std::int64_t used_bytes) {
  std::int64_t bytes = 0;
  for (const Operand& output : outputs) {
    if (!output.is_given()) continue;
    if (output.type == DataType::string) return false;
    bytes += bytes_of(output.type, output.shape.element_count());
  }
  return bytes <= std::max(limits.tensor_bytes, inputs_bytes) &&
         used_bytes + bytes <= limits.total_bytes;
}

/// Operands of a node whose inputs are all constants.
std::vector<Operand> constant_operands(const Node& node) {
  std::vector<Operand> operands;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    const Value* input = node.input(i);
    operands.push_back(input == nullptr ? Operand()
                                        : Operand{input->constant().type(),
                                                  input->constant().shape(), &input->constant()});
  }
  return operands;
}

/// The value of a node by its kernel; nothing where it stays a node.
class Folder {
 public:
  Folder(const Provider& provider, const CompileContext& context, const FoldLimits& limits)
      : provider_(provider), context_(context), limits_(limits) {}

  std::optional<std::vector<RunValue>> fold(const Node& node) {
    const NodeView view(node);
    const std::vector<Operand> inputs = constant_operands(node);
    std::int64_t inputs_bytes = 0;
    for (const Operand& input : inputs)
      inputs_bytes += input.is_given() ? input.known->size_bytes() : 0;
    const std::optional<std::vector<Operand>> outputs = shapes_of(node, inputs);
    if (outputs && !outputs_fit(*outputs, inputs_bytes, limits_, used_bytes_)) return std::nullopt;
    const KernelPtr kernel = provider_.compile(view, context_);
    std::vector<RunValue> results;
    if (kernel->is_dynamic()) {
      if (inputs_bytes > limits_.tensor_bytes) return std::nullopt;
      results = evaluate_dynamic(*kernel, node, inputs, context_.workers, context_.cap);
    } else if (outputs) {
      for (Tensor& result : evaluate(*kernel, inputs, *outputs, context_.workers, context_.cap))
        results.emplace_back(std::move(result));
    } else {
      return std::nullopt;
    }
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Value* output = node.output(static_cast<std::int64_t>(i));
      if (output == nullptr) continue;
      // As a constant, an optional that holds a tensor would be that tensor.
      const bool is_optional = output->type().kind == ValueType::Kind::optional;
      if (is_optional || !results[i].is_tensor()) return std::nullopt;
      bytes += results[i].tensor().size_bytes();
    }
    if (used_bytes_ + bytes > limits_.total_bytes) return std::nullopt;
    used_bytes_ += bytes;
    return results;
  }

 private:
  static std::optional<std::vector<Operand>> shapes_of(const Node& node,
                                                       const std::vector<Operand>& inputs) {
    std::vector<std::int64_t> wanted;
    std::vector<Operand> outputs;
    for (RuledOutput& ruled : apply_shape_rule(node, inputs, wanted)) {
      const bool is_given = node.output(static_cast<std::int64_t>(outputs.size())) != nullptr;
      if (is_given && !ruled.shape) return std::nullopt;
      outputs.push_back(is_given ? Operand{ruled.type, std::move(*ruled.shape), nullptr}
                                 : Operand());
    }
    return outputs;
  }

  const Provider& provider_;
  const CompileContext& context_;
  const FoldLimits& limits_;
  std::int64_t used_bytes_ = 0;
};

}  // namespace

void fold_constants(Graph& graph, const Provider& provider, const CompileContext& context,
                    const FoldLimits& limits) {
  Folder folder(provider, context, limits);
  for (Node& node : graph.nodes()) {
    if (context.workers.stop() != nullptr) context.workers.stop()->poll();
    if (!reads_only_constants(node) || find_op(node.domain(), node.op_type()) == nullptr) continue;
    if (limits.keeps_dequantized && node.domain().empty() && node.op_type() == "DequantizeLinear")
      continue;
    const NodeView view(node);
    const AlignedConstants constants(view.inputs());
    std::optional<std::vector<RunValue>> results;
    try {
      results = folder.fold(node);
    } catch (Error& error) {
      constants.restore_all();
      if (error.code() == ErrorCode::unsupported) continue;
      throw error.at_node(node.name(), node.op_type());
    }
    constants.restore_all();
    if (!results) continue;
    const std::vector<Value*> outputs = view.outputs();
    graph.remove_node(node);
    for (std::size_t i = 0; i < results->size(); ++i) {
      if (outputs[i] != nullptr) graph.set_constant(*outputs[i], (*results)[i].tensor());
    }
  }
}

}  // namespace ortool
