// Exact products: the permission to round is removed, in functions too.
#include "libcore/optimize/surgery/exact_products.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

TEST_CASE("products lose their permission to round to 8 bits", "[surgery]") {
  const auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (float[1, 16] x, uint8[1, 1, 8] w, float[1] s) => (float[1, 1] y) {
      y = com.microsoft.MatMulNBits <K = 16, N = 1, block_size = 16, accuracy_level = 4> (x, w, s)
    })");
  make_products_exact(*model);
  CHECK(model->graph->first_node()->find_attribute("accuracy_level") == nullptr);
  CHECK(model->graph->first_node()->find_attribute("block_size") != nullptr);
  CHECK_FALSE(has_rounding_layers(*model));
}

}  // namespace
}  // namespace ortool
