// Immediate evaluation: runs a single kernel without a plan.
#include "libcore/provider/evaluate.hpp"

#include <cstring>

#include "libcore/graph/graph.hpp"
#include "libcore/provider/check_view.hpp"

namespace ortool {

std::vector<Tensor> evaluate(const Kernel& kernel, std::span<const Operand> inputs,
                             std::span<const Operand> outputs, Workers& workers, MemoryCap* cap) {
  const PreparedPtr prepared = kernel.prepare({inputs, outputs, cap, workers.stop()});
  std::vector<Tensor> input_tensors;
  std::vector<const std::byte*> input_pointers;
  for (const Operand& input : inputs) {
    input_tensors.push_back(input.is_given() ? input.known.read_value()->aligned() : Tensor());
    input_pointers.push_back(input_tensors.back().bytes());
  }
  std::vector<Tensor> results;
  std::vector<std::byte*> output_pointers;
  for (const Operand& output : outputs) {
    results.push_back(output.is_given() ? Tensor(output.type, output.shape, cap) : Tensor());
    output_pointers.push_back(output.is_given() ? results.back().mutable_bytes() : nullptr);
  }
  if (prepared->view_of(0)) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const std::optional<BytesView> view = prepared->view_of(i);
      if (!view || output_pointers[i] == nullptr || results[i].size_bytes() == 0) continue;
      check_view(*view, inputs[view->input], outputs[i]);
      std::memcpy(output_pointers[i], input_pointers[view->input] + view->offset_bytes,
                  static_cast<std::size_t>(results[i].size_bytes()));
    }
    return results;
  }
  AlignedBuffer workspace(prepared->workspace_bytes(), cap, "a kernel's workspace");
  prepared->run(RunContext(input_pointers, output_pointers, workspace.data(), workers));
  return results;
}

std::vector<RunValue> evaluate_dynamic(const Kernel& kernel, const Node& node,
                                       std::span<const Operand> inputs, Workers& workers,
                                       MemoryCap* cap) {
  std::vector<RunValue> values;
  for (const Operand& input : inputs)
    values.push_back(input.is_given() ? RunValue(input.known.read_value()->aligned()) : RunValue());
  std::vector<RunValue> outputs(static_cast<std::size_t>(node.output_count()));
  DynamicContext context(node, values, outputs, workers, cap);
  kernel.run_dynamic(context);
  return outputs;
}

}  // namespace ortool
