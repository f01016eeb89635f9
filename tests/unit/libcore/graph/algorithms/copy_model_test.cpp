// Copies of models: equal to the original, and unaffected by later changes of it.
#include "libcore/graph/algorithms/copy_model.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/print.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr const char* nested =
    "<ir_version: 8, opset_import: [\"\" : 13]>\n"
    "g (bool c, float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}>"
    "{ [i] y = If (c) <then_branch = t () => (float[2, 2] p) { [a] p = MatMul (x, w) },"
    "  else_branch = e () => (float[2, 2] q) { [b] q = Identity (x) }> }";

TEST_CASE("a copy of a model has the same text, bodies and their captures included") {
  const auto model = inferred_model(nested);
  const auto copy = copy_model(*model);
  verify(*copy->graph);
  CHECK(print_model(*copy) == print_model(*model));
}

TEST_CASE("a copy shares the bytes of constants and outlives changes of the original") {
  const auto model = inferred_model(nested);
  const auto copy = copy_model(*model);
  CHECK(copy->graph->find_value("w")->constant().bytes() ==
        model->graph->find_value("w")->constant().bytes());
  model->graph->set_constant(*model->graph->find_value("w"),
                             Tensor::of<float>({2, 2}, {0, 0, 0, 0}));
  CHECK(copy->graph->find_value("w")->constant().data<float>()[3] == 4);
}

}  // namespace
}  // namespace ortool
