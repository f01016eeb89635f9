// Provider module that computes one Neg node, and tells what a device took for it where that is
// wanted: the setting `size` stands for the size of the struct that it fills. Each kernel takes 4 MB.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "providers/modules/ortool/provider_module.h"

namespace {

struct State {
  std::size_t size = sizeof(ortool_provider_figures);
  std::atomic<std::int64_t> kernels{0};
};

int open_timed(ortool_provider_call*, const ortool_provider_setting* settings, std::size_t count,
               void** state, const char** description) {
  auto* made = new State;
  for (std::size_t i = 0; i < count; ++i) made->size = std::strtoul(settings[i].value, nullptr, 10);
  *state = made;
  *description = "1";
  return 0;
}

void close_timed(void* state) {
  delete static_cast<State*>(state);
}

int claim_timed(ortool_provider_call* call, void*, const ortool_provider_graph* graph) {
  for (std::size_t i = 0; i < graph->node_count; ++i) {
    if (i > 0 || std::strcmp(graph->nodes[i]->op_type, "Neg") != 0)
      call->api->refuse(call, i, "it is not the first Neg");
  }
  return 0;
}

int compile_timed(ortool_provider_call*, void* state, const ortool_provider_graph*, void** kernel) {
  ++static_cast<State*>(state)->kernels;
  *kernel = state;
  return 0;
}

void release_timed(void* kernel) {
  --static_cast<State*>(kernel)->kernels;
}

int run_timed(ortool_provider_call* call, void* kernel, const ortool_provider_tensor* const* inputs,
              std::size_t, std::size_t) {
  const ortool_provider_tensor& input = *inputs[0];
  auto* output =
      static_cast<float*>(call->api->output(call, 0, input.type, input.rank, input.shape));
  if (output == nullptr) return 1;
  for (std::int64_t i = 0; i < input.count; ++i)
    output[i] = -static_cast<const float*>(input.data)[i];
  const bool knows_figures =
      call->api->size >= offsetof(ortool_provider_api, figures) + sizeof(call->api->figures);
  if (!knows_figures || call->api->wants_figures(call) == 0) return 0;
  ortool_provider_figures figures = {};
  figures.size = static_cast<const State*>(kernel)->size;
  figures.copy_in_ns = 1000;
  figures.compute_ns = 20000;
  figures.copy_out_ns = -300;
  figures.memory_bytes = 4000000 * static_cast<const State*>(kernel)->kernels;
  call->api->figures(call, &figures);
  return 0;
}

}  // namespace

const ortool_provider* ortool_get_provider() {
  static ortool_provider provider = {};
  provider.size = sizeof provider;
  provider.version = ORTOOL_PROVIDER_VERSION;
  provider.name = "timed";
  provider.takes_unknown_shapes = 1;
  provider.open = &open_timed;
  provider.close = &close_timed;
  provider.claim = &claim_timed;
  provider.compile = &compile_timed;
  provider.release = &release_timed;
  provider.run = &run_timed;
  return &provider;
}
