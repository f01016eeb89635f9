// Compiling kernels, and giving the pages of packed weights back to the system.
#include "libcore/runtime/compile.hpp"

#include "libcore/base/file.hpp"
#include "libcore/runtime/aligned_constants.hpp"

namespace ortool {
namespace {

/// Whether no other node reads the constant that this one packed.
bool is_packed_alone(const Value& value) {
  return value.is_constant() && value.uses().size() == 1;
}

}  // namespace

std::string_view CompiledStep::provider_name() const {
  return provider != nullptr ? provider->name() : "runtime";
}

std::string_view CompiledStep::kernel_name() const {
  return flow != nullptr ? flow->name() : kernel->name();
}

CompiledStep compile(PlacedGroup group, const CompileContext& context) {
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
    if (!is_packed_alone(*inputs[i])) continue;
    constants.restore(*inputs[i]);
    const Tensor& constant = inputs[i]->constant();
    drop_pages({constant.bytes(), static_cast<std::size_t>(constant.size_bytes())});
  }
  CompiledStep step{.view = std::move(group.view),
                    .provider = group.provider,
                    .kernel = std::move(kernel),
                    .flow = nullptr,
                    .inputs = std::move(inputs),
                    .outputs = {},
                    .reasons = std::move(group.reasons),
                    .input_slots = {},
                    .output_slots = {},
                    .members = {}};
  step.outputs = step.view.outputs();
  return step;
}

}  // namespace ortool
