// One kernel, run outside a plan.
#include "libcore/runtime/evaluate.hpp"

#include <cstring>

namespace ortool {

std::vector<Tensor> evaluate(const Kernel& kernel, std::span<const Operand> inputs,
                             std::span<const Operand> outputs, Workers& workers, MemoryCap* cap) {
  const PreparedPtr prepared = kernel.prepare({inputs, outputs});
  std::vector<Tensor> input_tensors;
  std::vector<const std::byte*> input_pointers;
  for (const Operand& input : inputs) {
    input_tensors.push_back(input.is_given() ? input.known->aligned() : Tensor());
    input_pointers.push_back(input_tensors.back().bytes());
  }
  std::vector<Tensor> results;
  std::vector<std::byte*> output_pointers;
  for (const Operand& output : outputs) {
    results.push_back(output.is_given() ? Tensor(output.type, output.shape, cap) : Tensor());
    output_pointers.push_back(output.is_given() ? results.back().mutable_bytes() : nullptr);
  }
  if (const std::optional<std::size_t> source = prepared->view_of()) {
    std::memcpy(output_pointers[0], input_pointers[*source],
                static_cast<std::size_t>(results[0].size_bytes()));
    return results;
  }
  AlignedBuffer workspace(prepared->workspace_bytes(), cap, "a kernel's workspace");
  prepared->run(RunContext(input_pointers, output_pointers, workspace.data(), workers));
  return results;
}

}  // namespace ortool
