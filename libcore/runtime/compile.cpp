// Compiling kernels, and giving the pages of packed weights back to the system.
#include "libcore/runtime/compile.hpp"

#include <cstdint>
#include <unistd.h>

#include <sys/mman.h>

#include "libcore/runtime/aligned_constants.hpp"

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
    page_out(inputs[i]->constant());
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
