// Quantization parameters: which values calibration has to record.
#include "libcore/quantize/scheme/group_params.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

TEST_CASE("values that bodies capture are recorded under the names they have outside") {
  const auto model = inferred_model(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (bool c, float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}> {
      a = Relu (x)
      b = Identity (a)
      y = If (c) <
        then_branch = t () => (float[2, 2] p) { p = MatMul (b, w) },
        else_branch = e () => (float[2, 2] q) { q = MatMul (b, w) }>
    })");
  // As passes do: the captures in the bodies are still named b.
  Graph& graph = *model->graph;
  Value& replaced = *graph.find_value("b");
  graph.replace_uses(replaced, *graph.find_value("a"));
  graph.remove_node(*replaced.producer());
  graph.remove_value(replaced);

  const std::vector<ValueRequest> requests = requested_values(make_plan(*model, {}));
  const auto copy = copy_model(*model);
  CHECK(requests.size() == 4);
  for (const ValueRequest& request : requests) {
    INFO(request.name);
    bool is_there = false;
    for (const Graph* each : graphs_in(std::as_const(*copy->graph)))
      is_there = is_there || each->find_value(request.name) != nullptr;
    CHECK(is_there);
  }
}

}  // namespace
}  // namespace ortool
