// xnnpack provider module: computes convolutional networks with XNNPACK.
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <pthreadpool.h>
#include <string>
#include <xnnpack.h>

#include "providers/modules/module_failure.hpp"
#include "providers/xnnpack/compiled_graph.hpp"
#include "providers/xnnpack/operator_list.hpp"

namespace ortool::xnnpack {
namespace {

using modules::guarded_call;
using modules::ModuleFailure;

/// Thread pools by their number of threads.
class State {
 public:
  ~State() {
    for (const auto& [count, pool] : pools_) pthreadpool_destroy(pool);
  }

  /// Null for one thread.
  pthreadpool_t pool(int threads) {
    if (threads <= 1) return nullptr;
    const std::lock_guard lock(mutex_);
    pthreadpool_t& pool = pools_[threads];
    if (pool == nullptr) pool = pthreadpool_create(static_cast<std::size_t>(threads));
    return pool;
  }

 private:
  std::mutex mutex_;
  std::map<int, pthreadpool_t> pools_;
};

int open_module(ortool_provider_call* call, const ortool_provider_setting* settings,
                std::size_t count, void** state, const char** description) {
  return guarded_call(call, [&] {
    if (count > 0) {
      throw ModuleFailure(
          ORTOOL_PROVIDER_INVALID,
          std::string("provider 'xnnpack' has no option '") + settings[0].key + "'");
    }
    // XNNPACK keeps what it finds out about the processor until the process ends.
    static_cast<void>(::dlopen(ORTOOL_XNNPACK_FILE, RTLD_LAZY | RTLD_NODELETE));
    if (xnn_initialize(nullptr) != xnn_status_success)
      throw ModuleFailure(ORTOOL_PROVIDER_UNAVAILABLE, "XNNPACK does not support this processor");
    *state = new State();
    *description = ORTOOL_XNNPACK_FILE;
  });
}

void close_module(void* state) {
  delete static_cast<State*>(state);
}

int claim(ortool_provider_call* call, void*, const ortool_provider_graph* graph) {
  return guarded_call(call, [&] {
    for (std::size_t i = 0; i < graph->node_count; ++i) {
      const NodeReader node(*graph->nodes[i]);
      const KernelRow* row = find_row(node);
      const std::string reason =
          row != nullptr ? row->refuses(node)
                         : std::string("XNNPACK has no operator for ") + node.node().op_type;
      if (!reason.empty()) call->api->refuse(call, i, reason.c_str());
    }
  });
}

int compile(ortool_provider_call* call, void* state, const ortool_provider_graph* graph,
            void** kernel) {
  return guarded_call(call, [&] {
    *kernel = new CompiledGraph(*graph, static_cast<State*>(state)->pool(call->threads));
  });
}

void release(void* kernel) {
  delete static_cast<CompiledGraph*>(kernel);
}

int run(ortool_provider_call* call, void* kernel, const ortool_provider_tensor* const* inputs,
        std::size_t, std::size_t) {
  return guarded_call(call, [&] { static_cast<CompiledGraph*>(kernel)->run(*call, inputs); });
}

constexpr ortool_provider provider = {.size = sizeof(ortool_provider),
                                      .version = ORTOOL_PROVIDER_VERSION,
                                      .name = "xnnpack",
                                      .takes_unknown_shapes = 0,
                                      .fuses_operators = 0,
                                      .open = &open_module,
                                      .close = &close_module,
                                      .claim = &claim,
                                      .compile = &compile,
                                      .release = &release,
                                      .run = &run};

}  // namespace
}  // namespace ortool::xnnpack

extern "C" const ortool_provider* ortool_get_provider() {
  return &ortool::xnnpack::provider;
}
