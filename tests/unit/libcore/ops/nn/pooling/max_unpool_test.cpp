// MaxUnpool: the rank is that of the indices if that of the values is unknown.
#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::string shape_of(const std::string& indices) {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 20]> g (float[] x, int64[rank] s, int64[" + indices +
      "] i) => (float[] y) { r = Reshape (x, s)  y = MaxUnpool <kernel_shape = [2, 2], strides = "
      "[2, 2]> (r, i) }");
  return to_string(model->graph->outputs()[0]->type().shape);
}

TEST_CASE("MaxUnpool takes the rank of its indices, and refuses one that does not fit", "[ops]") {
  CHECK(shape_of("1, 3, 4, 4") == "1 x 3 x 8 x 8");
  CHECK_THROWS_AS(shape_of("5"), Error);
  CHECK_THROWS_AS(shape_of("1, 3, 4"), Error);
}

}  // namespace
}  // namespace ortool
