// Kernel compilation; tells the store of constants which of them kernels still read.
#include "libcore/runtime/compile.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <utility>

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

constexpr std::size_t max_wave_groups = 64;
/// A group with as many bytes of constants is compiled alone: all threads pack them.
constexpr std::int64_t min_bytes_alone = std::int64_t{16} << 20;

std::int64_t constant_bytes_of(const PlacedGroup& group, const ConstantStore& constants) {
  std::int64_t bytes = 0;
  for (const Value* input : group.view.inputs()) {
    if (input == nullptr || !input->is_constant()) continue;
    const Tensor* content = constants.find(*input);
    if (content != nullptr) bytes += content->size_bytes();
  }
  return bytes;
}

/// How many of the groups are compiled next, at the same time. Where a cache is written it does not
/// depend on the number of threads, and neither does the order of what is written; kernels that
/// find all in a cache take no time worth sharing.
std::size_t wave_of(std::span<const PlacedGroup> groups, const ConstantStore& constants,
                    const CompileContext& context) {
  const bool writes = context.derived != nullptr && !context.derived->is_reading();
  const bool is_shared = writes || (context.derived == nullptr && context.workers.count() > 1);
  if (context.packing != nullptr || !is_shared) return 1;
  const std::span<const PlacedGroup> first = groups.first(std::min(groups.size(), max_wave_groups));
  const auto large = std::find_if(first.begin(), first.end(), [&](const PlacedGroup& group) {
    return constant_bytes_of(group, constants) >= min_bytes_alone;
  });
  return std::max<std::size_t>(1, static_cast<std::size_t>(large - first.begin()));
}

KernelPtr compile_kernel(const PlacedGroup& group, const CompileContext& context) {
  const Node& node = group.view.node();
  if (context.workers.stop() != nullptr) context.workers.stop()->poll();
  try {
    return group.provider->compile(group.view, context);
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

/// The groups of a wave, and which of their constants several of them read.
class CompileCall {
 public:
  CompileCall(std::span<PlacedGroup> groups, ConstantStore& constants,
              const CompileContext& context)
      : groups_(groups), constants_(constants), context_(context), steps_(groups.size()) {
    std::set<const Value*> seen;
    for (const PlacedGroup& group : groups) {
      const std::vector<const Value*> read = constants_of(group);
      for (const Value* constant : read) {
        if (!seen.insert(constant).second) shared_.insert(constant);
      }
    }
  }

  /// Throws what the first group in order throws. What found too little memory beside others is
  /// compiled again, alone.
  std::vector<CompiledStep> compile() {
    align({shared_.begin(), shared_.end()});
    std::vector<std::exception_ptr> failures(groups_.size());
    const auto compile_one = [&](std::int64_t task) {
      const auto i = static_cast<std::size_t>(task);
      try {
        compile_group(i);
      } catch (...) {
        failures[i] = std::current_exception();
      }
    };
    // Alone, a kernel has all threads for its packing.
    if (groups_.size() == 1) {
      compile_one(0);
    } else {
      context_.workers.parallel_for(static_cast<std::int64_t>(groups_.size()), compile_one);
    }
    std::vector<CompiledStep> result;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (failures[i] != nullptr) {
        if (groups_.size() == 1 || !is_memory_limit(failures[i]))
          std::rethrow_exception(failures[i]);
        compile_group(i);
      }
      result.push_back(std::move(*steps_[i]));
    }
    if (context_.derived != nullptr) context_.derived->write_kernels();
    release(result, true);
    return result;
  }

 private:
  static std::vector<const Value*> constants_of(const PlacedGroup& group) {
    std::vector<const Value*> found;
    for (const Value* input : group.view.inputs()) {
      if (input != nullptr && input->is_constant()) found.push_back(input);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  void align(const std::vector<const Value*>& values) {
    constants_.align(values, context_.derived);
  }

  /// Constants that no other group of the wave reads are aligned and released here, by this thread:
  /// entries of the store are independent of each other.
  void compile_group(std::size_t index) {
    PlacedGroup& group = groups_[index];
    std::vector<const Value*> own = constants_of(group);
    std::erase_if(own, [&](const Value* constant) { return shared_.contains(constant); });
    align(own);
    group.view.set_constants(constants_);
    if (context_.derived != nullptr)
      context_.derived->begin_kernel(group.view, group.provider->name(), index);
    KernelPtr kernel = compile_kernel(group, context_);
    steps_[index] = step_of(std::move(group), std::move(kernel));
    release(std::span(&*steps_[index], 1), false);
    if (context_.derived != nullptr) context_.derived->end_kernel();
  }

  /// Those that runs read are told first: the copies of others go with their last kernel.
  void release(std::span<const CompiledStep> steps, bool releases_shared) {
    for (const bool is_told : {true, false}) {
      for (const CompiledStep& step : steps) {
        each_constant(step, [&](const Value& constant, bool is_read_at_run_time) {
          if (is_read_at_run_time == is_told && shared_.contains(&constant) == releases_shared)
            constants_.finish_use(constant, is_read_at_run_time, context_.derived);
        });
      }
    }
  }

  std::span<PlacedGroup> groups_;
  ConstantStore& constants_;
  const CompileContext& context_;
  std::vector<std::optional<CompiledStep>> steps_;
  std::set<const Value*> shared_;
};

/// Compiles one group after the other, those with large constants first: while a constant is packed
/// it is in memory twice, so the last ones should be small.
std::vector<CompiledStep> compile_largest_first(std::span<PlacedGroup> groups,
                                                ConstantStore& constants,
                                                const CompileContext& context, Progress& progress) {
  constexpr std::int64_t large_bytes = std::int64_t{256} << 10;
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::int64_t bytes = constant_bytes_of(groups[i], constants);
    order.emplace_back(bytes >= large_bytes ? -bytes : 0, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::optional<CompiledStep>> steps(groups.size());
  for (const auto& [bytes, i] : order) {
    steps[i] = std::move(CompileCall(groups.subspan(i, 1), constants, context).compile().front());
    progress.finish(static_cast<std::int64_t>(steps[i]->view.members().size()));
  }
  std::vector<CompiledStep> result;
  result.reserve(steps.size());
  for (std::optional<CompiledStep>& step : steps) result.push_back(std::move(*step));
  return result;
}

}  // namespace

std::vector<CompiledStep> compile(std::span<PlacedGroup> groups, ConstantStore& constants,
                                  const CompileContext& context, Progress& progress) {
  // What is written to a cache, and what a budget of packed bytes is spent on, follow the graph.
  if (context.derived == nullptr && context.packing == nullptr && context.workers.count() == 1)
    return compile_largest_first(groups, constants, context, progress);
  std::vector<CompiledStep> steps;
  while (!groups.empty()) {
    const std::span<PlacedGroup> wave = groups.first(wave_of(groups, constants, context));
    for (CompiledStep& step : CompileCall(wave, constants, context).compile()) {
      progress.finish(static_cast<std::int64_t>(step.view.members().size()));
      steps.push_back(std::move(step));
    }
    groups = groups.subspan(wave.size());
  }
  return steps;
}

}  // namespace ortool
