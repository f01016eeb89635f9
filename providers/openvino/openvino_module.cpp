// openvino module: hands subgraphs to OpenVINO through the interface of provider modules.
#include "providers/modules/module_failure.hpp"
#include "providers/openvino/openvino_claims.hpp"
#include "providers/openvino/openvino_graph.hpp"
#include "providers/openvino/openvino_state.hpp"

namespace ortool::openvino {
namespace {

using modules::guarded_call;

int open_module(ortool_provider_call* call, const ortool_provider_setting* settings,
                std::size_t count, void** state, const char** description) {
  return guarded_call(call, [&] {
    auto* made = new State(*call, settings, count);
    *state = made;
    *description = made->description().c_str();
  });
}

void close_module(void* state) {
  delete static_cast<State*>(state);
}

int claim(ortool_provider_call* call, void* state, const ortool_provider_graph* graph) {
  return guarded_call(call, [&] { claim_nodes(*call, *static_cast<State*>(state), *graph); });
}

int compile(ortool_provider_call* call, void* state, const ortool_provider_graph* graph,
            void** kernel) {
  return guarded_call(
      call, [&] { *kernel = new CompiledGraph(*call, *static_cast<const State*>(state), *graph); });
}

void release(void* kernel) {
  delete static_cast<CompiledGraph*>(kernel);
}

int run(ortool_provider_call* call, void* kernel, const ortool_provider_tensor* const* inputs,
        std::size_t input_count, std::size_t) {
  return guarded_call(
      call, [&] { static_cast<CompiledGraph*>(kernel)->run(*call, inputs, input_count); });
}

constexpr ortool_provider provider = {.size = sizeof(ortool_provider),
                                      .version = ORTOOL_PROVIDER_VERSION,
                                      .name = "openvino",
                                      .takes_unknown_shapes = 1,
                                      .fuses_operators = 1,
                                      .open = &open_module,
                                      .close = &close_module,
                                      .claim = &claim,
                                      .compile = &compile,
                                      .release = &release,
                                      .run = &run};

}  // namespace
}  // namespace ortool::openvino

extern "C" const ortool_provider* ortool_get_provider() {
  return &ortool::openvino::provider;
}
