// Compiling kernels, and giving the pages of packed weights back to the system.
#include "libcore/runtime/compile.hpp"

#include <cstdint>
#include <unistd.h>

#include <sys/mman.h>

namespace ortool {
namespace {

/// Tells the system that the bytes are not needed soon. MADV_PAGEOUT keeps their content whatever
/// they are: clean pages of a mapped file are dropped and read again should anyone look at them.
void page_out(const Tensor& tensor) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(tensor.bytes());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last =
      (begin + static_cast<std::uintptr_t>(tensor.size_bytes())) / page * page;
  if (last > first)
    static_cast<void>(madvise(reinterpret_cast<void*>(first), last - first, MADV_PAGEOUT));
}

/// Whether no other node reads the constant that this one packed.
bool is_packed_alone(const Value& value) {
  return value.is_constant() && value.uses().size() == 1;
}

/// Constants lie in the file as they come; kernels want them aligned to their element. Holds aligned
/// copies while a kernel is compiled, and takes back those it packed, so that no weight stays in
/// memory twice.
class AlignedConstants {
 public:
  explicit AlignedConstants(const std::vector<Value*>& inputs) {
    for (Value* input : inputs) {
      if (input == nullptr || !input->is_constant() || input->constant().is_aligned()) continue;
      originals_.emplace_back(input, input->constant());
      input->graph().set_constant(*input, input->constant().aligned());
    }
  }

  /// The kernel has packed `value` and nothing else reads it.
  void let_go(Value& value) {
    for (const auto& [input, original] : originals_) {
      if (input == &value) value.graph().set_constant(value, original);
    }
    page_out(value.constant());
  }

 private:
  std::vector<std::pair<Value*, Tensor>> originals_;
};

}  // namespace

std::vector<CompiledStep> compile(std::vector<PlacedGroup> groups, const CompileContext& context) {
  std::vector<CompiledStep> steps;
  steps.reserve(groups.size());
  for (PlacedGroup& group : groups) {
    const Node& node = group.view.node();
    if (context.workers.stop() != nullptr) context.workers.stop()->poll();
    std::vector<Value*> inputs = group.view.inputs();
    AlignedConstants constants(inputs);
    KernelPtr kernel;
    try {
      kernel = group.provider->compile(group.view, context);
    } catch (Error& error) {
      throw error.at_node(node.name(), node.op_type()).while_doing("compiling");
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == nullptr || kernel->needs_input(i)) continue;
      if (is_packed_alone(*inputs[i])) constants.let_go(*inputs[i]);
    }
    std::vector<Value*> outputs = group.view.outputs();
    steps.push_back({std::move(group.view), group.provider, std::move(kernel), std::move(inputs),
                     std::move(outputs), std::move(group.reasons)});
  }
  return steps;
}

}  // namespace ortool
