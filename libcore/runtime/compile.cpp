// Kernel compilation; returns the memory of packed weights to the system.
#include "libcore/runtime/compile.hpp"

#include "libcore/base/file/file.hpp"
#include "libcore/provider/aligned_constants.hpp"

namespace ortool {
namespace {

/// Whether this node is the only consumer of the constant that it packed.
bool is_packed_alone(const Value& value) {
  return value.is_constant() && value.uses().size() == 1;
}

/// Releases the memory of weights that a kernel has packed. Pages of a file are read again on
/// demand; large float32 weights created during lowering, whose content no shape depends on, are
/// replaced by zeros that occupy no memory.
void let_go(Value& value) {
  constexpr std::int64_t large_bytes = 64 * 1024;
  const Tensor& constant = value.constant();
  const auto size = static_cast<std::size_t>(constant.size_bytes());
  if (drop_pages({constant.bytes(), size})) return;
  if (constant.type() != DataType::float32 || constant.size_bytes() < large_bytes) return;
  const std::shared_ptr<const std::byte> zeros = map_zeros(size);
  if (zeros == nullptr) return;
  value.graph().set_constant(
      value, Tensor::view(constant.type(), constant.shape(), {zeros.get(), size}, zeros));
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
  CompileContext here = context;
  here.constants = &constants;
  KernelPtr kernel;
  try {
    kernel = group.provider->compile(group.view, here);
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type()).while_doing("compiling");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr || kernel->needs_input(i)) continue;
    if (!is_packed_alone(*inputs[i])) continue;
    constants.restore(*inputs[i]);
    let_go(*inputs[i]);
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
