// Defaults for what the caller of the library leaves out.
#include "libcore/api/compute_options.hpp"

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// Tensors of a result give their bytes back to it, so that it never ends.
MemoryCap& unlimited_memory() {
  static MemoryCap memory;
  return memory;
}

}  // namespace

SessionOptions session_options(const ComputeOptions& compute) {
  SessionOptions options;
  options.providers = compute.providers;
  options.pool = compute.pool;
  options.cap = compute.memory;
  options.threads = compute.threads;
  options.stop = compute.stop;
  options.on_step = compute.on_step;
  return options;
}

ComputeScope::ComputeScope(const ComputeOptions& options, bool needs_providers)
    : options_(options),
      task_{options.memory != nullptr ? *options.memory : unlimited_memory(),
            options.stop != nullptr ? *options.stop : own_stop_, options.on_warning,
            options.on_step, options.on_note} {
  if (needs_providers && options.providers.empty()) {
    throw Error(ErrorCode::invalid, "no execution provider is given",
                "default_providers() lists those of this machine, the best first")
        .with_id("api.providers");
  }
  if (options.threads < 1) {
    throw Error(ErrorCode::invalid, format("{} threads cannot compute", options.threads),
                "give 1 or more")
        .with_id("api.threads");
  }
}

ThreadPool& ComputeScope::pool() {
  if (options_.pool != nullptr) return *options_.pool;
  if (!own_pool_) own_pool_.emplace(options_.threads);
  return *own_pool_;
}

}  // namespace ortool
