// Constant folding by the provider's own kernels, so that folded and computed bits agree.
#include "libcore/runtime/fold_constants.hpp"

#include <algorithm>
#include <array>

#include "libcore/ops/catalog.hpp"
#include "libcore/runtime/aligned_constants.hpp"
#include "libcore/runtime/evaluate.hpp"
#include "libcore/runtime/operand_table.hpp"

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

}  // namespace

void fold_constants(Graph& graph, const Provider& provider, const CompileContext& context,
                    const FoldLimits& limits) {
  std::int64_t used_bytes = 0;
  OperandTable table(graph);
  for (Node& node : graph.nodes()) {
    if (!reads_only_constants(node) || find_op(node.domain(), node.op_type()) == nullptr) continue;
    std::vector<const Value*> wanted;
    if (!table.infer(node, wanted)) continue;
    const NodeView view(node);
    const std::vector<Value*> output_values = view.outputs();
    const std::vector<Operand> inputs = table.gather(view.inputs());
    const std::vector<Operand> outputs = table.gather(output_values);
    std::int64_t inputs_bytes = 0;
    for (const Operand& input : inputs)
      inputs_bytes += input.is_given() ? input.known->size_bytes() : 0;
    const AlignedConstants constants(view.inputs());
    std::vector<Tensor> results;
    try {
      if (!outputs_fit(outputs, inputs_bytes, limits, used_bytes)) continue;
      const KernelPtr kernel = provider.compile(view, context);
      results = evaluate(*kernel, inputs, outputs, context.workers, context.cap);
    } catch (Error& error) {
      constants.restore_all();
      if (error.code() == ErrorCode::unsupported) continue;
      throw error.at_node(node.name(), node.op_type());
    }
    constants.restore_all();
    graph.remove_node(node);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (output_values[i] == nullptr) continue;
      used_bytes += results[i].size_bytes();
      graph.set_constant(*output_values[i], results[i]);
      table.set_known(*output_values[i], std::move(results[i]));
    }
  }
}

}  // namespace ortool
