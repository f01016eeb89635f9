// Loads the bytes as a model, verifies, checks every node and infers shapes, as 'inspect' does.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/graph/verify.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/onnx/load.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"

namespace {

void check_nodes(const ortool::Graph& main_graph) {
  std::vector<const ortool::Graph*> open = {&main_graph};
  while (!open.empty()) {
    const ortool::Graph& graph = *open.back();
    open.pop_back();
    for (const ortool::Node& node : graph.nodes()) {
      for (const ortool::Graph* inside : node.subgraphs()) open.push_back(inside);
      try {
        ortool::check_node(node);
      } catch (const ortool::Error&) {
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto bytes = std::as_bytes(std::span(data, size));
    const auto model = ortool::load_model_from_bytes(bytes, nullptr, "fuzz", "", {});
    check_nodes(*model->graph);
    for (const ortool::Function& function : model->functions) check_nodes(*function.body);
    ortool::infer_shapes(*model);
    ortool::verify(*model->graph);
  } catch (const ortool::Error& error) {
    if (error.id() == "graph.verify") {
      std::fprintf(stderr, "the loader made a graph that is none: %s\n", error.what());
      std::abort();
    }
  }
  return 0;
}
