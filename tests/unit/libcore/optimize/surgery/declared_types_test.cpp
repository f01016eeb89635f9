// Declared types after inference: which inferred dimensions a file keeps.
#include "libcore/optimize/surgery/declared_types.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

constexpr const char* doubled =
    "<ir_version: 8, opset_import: [\"\" : 18]>\n"
    "g (float[n, ?] x) => (float[rows, ?] y) { y = Concat <axis = 0> (x, x) }";

TEST_CASE("formulas and names that inference makes up do not stay") {
  const auto model = parse_model(doubled);
  const DeclaredTypes declared(*model);
  infer_shapes(*model);
  const Value& output = *model->graph->outputs()[0];
  CHECK(output.type().to_string() == "float32[2*n x x_dim_1]");
  declared.restore(*model, false);
  CHECK(output.type().to_string() == "float32[rows x ?]");
  CHECK(model->graph->inputs()[0]->type().to_string() == "float32[n x ?]");
}

TEST_CASE("fixed shapes give outputs numbers in place of names") {
  const auto model = parse_model(doubled);
  fix_shape(*model, "x", Shape{2, 5});
  const DeclaredTypes declared(*model);
  infer_shapes(*model);
  declared.restore(*model, true);
  CHECK(model->graph->outputs()[0]->type().to_string() == "float32[4 x 5]");
}

}  // namespace
}  // namespace ortool
