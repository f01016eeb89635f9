// Kernel compilation; tells the store of constants which of them kernels still read.
#include "libcore/runtime/compile.hpp"

#include "libcore/provider/cache/derived_store.hpp"

namespace ortool {

std::string_view CompiledStep::provider_name() const {
  return provider != nullptr ? provider->name() : "runtime";
}

std::string_view CompiledStep::kernel_name() const {
  return control_flow != nullptr ? control_flow->name() : kernel->name();
}

CompiledStep compile(PlacedGroup group, ConstantStore& constants, const CompileContext& context) {
  const Node& node = group.view.node();
  if (context.workers.stop() != nullptr) context.workers.stop()->poll();
  const std::vector<Value*> read = group.view.inputs();
  std::vector<const Value*> inputs(read.begin(), read.end());
  constants.align(inputs, context.derived);
  group.view.set_constants(constants);
  KernelPtr kernel;
  try {
    if (context.derived != nullptr)
      context.derived->begin_kernel(group.view, group.provider->name());
    kernel = group.provider->compile(group.view, context);
    if (context.derived != nullptr) context.derived->end_kernel();
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type()).while_doing("compiling");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != nullptr && inputs[i]->is_constant())
      constants.finish_use(*inputs[i], kernel->is_dynamic() || kernel->needs_input(i),
                           context.derived);
  }
  CompiledStep step{.view = std::move(group.view),
                    .provider = group.provider,
                    .kernel = std::move(kernel),
                    .control_flow = nullptr,
                    .inputs = std::move(inputs),
                    .outputs = {},
                    .reasons = std::move(group.reasons),
                    .input_slots = {},
                    .output_slots = {},
                    .members = {}};
  for (const Value* output : step.view.outputs()) step.outputs.push_back(output);
  return step;
}

}  // namespace ortool
