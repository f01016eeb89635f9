// Kernel compilation; tells the store of constants which of them kernels still read.
#include "libcore/runtime/compile.hpp"

#include <algorithm>
#include <exception>

#include "libcore/base/function_ref.hpp"
#include "libcore/provider/cache/derived_store.hpp"

namespace ortool {

std::string_view CompiledStep::provider_name() const {
  return provider != nullptr ? provider->name() : "runtime";
}

std::string_view CompiledStep::kernel_name() const {
  return control_flow != nullptr ? control_flow->name() : kernel->name();
}

namespace {

/// Of groups that are compiled together. Their constants have aligned copies meanwhile.
constexpr std::int64_t max_wave_bytes = std::int64_t{32} << 20;
constexpr std::size_t max_wave_groups = 64;

std::int64_t constant_bytes_of(const PlacedGroup& group, const ConstantStore& constants) {
  std::int64_t bytes = 0;
  for (const Value* input : group.view.inputs()) {
    if (input == nullptr || !input->is_constant()) continue;
    const Tensor* content = constants.find(*input);
    if (content != nullptr) bytes += content->size_bytes();
  }
  return bytes;
}

/// How many of the groups are compiled next.
std::size_t wave_of(std::span<const PlacedGroup> groups, const ConstantStore& constants,
                    const CompileContext& context) {
  const bool needs_order = context.derived != nullptr || context.packing != nullptr;
  if (needs_order || context.workers.count() == 1) return 1;
  std::int64_t bytes = constant_bytes_of(groups.front(), constants);
  std::size_t count = 1;
  for (; count < std::min(groups.size(), max_wave_groups); ++count) {
    bytes += constant_bytes_of(groups[count], constants);
    if (bytes > max_wave_bytes) break;
  }
  return count;
}

KernelPtr compile_kernel(const PlacedGroup& group, const CompileContext& context) {
  const Node& node = group.view.node();
  if (context.workers.stop() != nullptr) context.workers.stop()->poll();
  try {
    if (context.derived != nullptr)
      context.derived->begin_kernel(group.view, group.provider->name());
    KernelPtr kernel = group.provider->compile(group.view, context);
    if (context.derived != nullptr) context.derived->end_kernel();
    return kernel;
  } catch (Error& error) {
    throw error.at_node(node.name(), node.op_type()).while_doing("compiling");
  }
}

bool is_memory_limit(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.code() == ErrorCode::memory_limit;
  } catch (...) {
    return false;
  }
}

/// The kernels of a wave. Throws what the first group in order throws. What found too little memory
/// beside others is compiled again, alone.
std::vector<KernelPtr> compile_kernels(std::span<const PlacedGroup> groups,
                                       const CompileContext& context) {
  std::vector<KernelPtr> kernels(groups.size());
  std::vector<std::exception_ptr> failures(groups.size());
  const auto compile_one = [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    try {
      kernels[i] = compile_kernel(groups[i], context);
    } catch (...) {
      failures[i] = std::current_exception();
    }
  };
  // Alone, a kernel has all threads for its packing.
  if (groups.size() == 1) {
    compile_one(0);
  } else {
    context.workers.parallel_for(static_cast<std::int64_t>(groups.size()), compile_one);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (failures[i] == nullptr) continue;
    if (groups.size() == 1 || !is_memory_limit(failures[i])) std::rethrow_exception(failures[i]);
    kernels[i] = compile_kernel(groups[i], context);
  }
  return kernels;
}

CompiledStep step_of(PlacedGroup group, KernelPtr kernel) {
  CompiledStep step{.view = std::move(group.view),
                    .provider = group.provider,
                    .kernel = std::move(kernel),
                    .control_flow = nullptr,
                    .inputs = {},
                    .outputs = {},
                    .reasons = std::move(group.reasons),
                    .input_slots = {},
                    .output_slots = {},
                    .members = {}};
  for (const Value* input : step.view.inputs()) step.inputs.push_back(input);
  for (const Value* output : step.view.outputs()) step.outputs.push_back(output);
  return step;
}

/// Calls `body` for each constant that a step reads, and whether it does so at run time.
void each_constant(const CompiledStep& step, FunctionRef<void(const Value&, bool)> body) {
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] != nullptr && step.inputs[i]->is_constant())
      body(*step.inputs[i], step.kernel->is_dynamic() || step.kernel->needs_input(i));
  }
}

/// Those that runs read are told first: the copies of others go with their last kernel.
void release(std::span<const CompiledStep> steps, ConstantStore& constants, DerivedStore* derived) {
  for (const bool is_told : {true, false}) {
    for (const CompiledStep& step : steps) {
      each_constant(step, [&](const Value& constant, bool is_read_at_run_time) {
        if (is_read_at_run_time == is_told)
          constants.finish_use(constant, is_read_at_run_time, derived);
      });
    }
  }
}

/// Aligned copies of the groups' constants, each made by one of the threads.
void align(std::span<const PlacedGroup> groups, ConstantStore& constants,
           const CompileContext& context) {
  std::vector<const Value*> read;
  for (const PlacedGroup& group : groups) {
    for (const Value* input : group.view.inputs()) {
      if (input != nullptr && input->is_constant()) read.push_back(input);
    }
  }
  if (groups.size() == 1) return constants.align(read, context.derived);
  std::sort(read.begin(), read.end());
  read.erase(std::unique(read.begin(), read.end()), read.end());
  context.workers.parallel_for(static_cast<std::int64_t>(read.size()), [&](std::int64_t i) {
    constants.align(std::span(read).subspan(static_cast<std::size_t>(i), 1), context.derived);
  });
}

}  // namespace

std::vector<CompiledStep> compile(std::span<PlacedGroup> groups, ConstantStore& constants,
                                  const CompileContext& context, Progress& progress) {
  std::vector<CompiledStep> steps;
  while (!groups.empty()) {
    const std::span<PlacedGroup> wave = groups.first(wave_of(groups, constants, context));
    for (PlacedGroup& group : wave) group.view.set_constants(constants);
    align(wave, constants, context);
    std::vector<KernelPtr> kernels = compile_kernels(wave, context);
    const std::size_t first = steps.size();
    for (std::size_t i = 0; i < wave.size(); ++i) {
      steps.push_back(step_of(std::move(wave[i]), std::move(kernels[i])));
      progress.finish(static_cast<std::int64_t>(steps.back().view.members().size()));
    }
    release(std::span(steps).subspan(first), constants, context.derived);
    groups = groups.subspan(wave.size());
  }
  return steps;
}

}  // namespace ortool
