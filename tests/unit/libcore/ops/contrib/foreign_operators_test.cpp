// Operators that no CPU computes: the table, and what it says of a node.
#include "libcore/ops/contrib/foreign_operators.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/lower/check_operators.hpp"
#include "libcore/text/parse.hpp"

namespace ortool {
namespace {

std::string refusal(const std::string& nodes) {
  const auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 17, \"com.microsoft\" : 1]>\n"
      "g (float[2] x) => (float[2] y) { " +
      nodes + " }");
  try {
    check_operators_known(*model->graph);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unsupported);
    CHECK(error.id() == "node.operator.unknown");
    return error.message() + " | " + error.hint();
  }
  return "";
}

TEST_CASE("Foreign operators are sorted and found by domain and name") {
  const auto rows = foreign_operators();
  CHECK(std::is_sorted(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.domain, a.name) < std::pair(b.domain, b.name);
  }));
  for (const ForeignOperator& row : rows)
    CHECK(find_foreign_operator(row.domain, row.name) == &row);
  CHECK(find_foreign_operator("", "PagedAttention") == nullptr);
  CHECK(find_foreign_operator("com.microsoft", "Gelu") == nullptr);
}

TEST_CASE("Refusing a foreign operator says what it is and what to do") {
  CHECK(refusal("y = com.microsoft.QuantizeBFP (x)") ==
        "operator com.microsoft.QuantizeBFP-1 is not supported: it converts to block floating "
        "point, which only accelerators compute | use the ONNX model that it was compiled from");
  CHECK(refusal("y = com.microsoft.NoSuchOperator (x)") ==
        "operator com.microsoft.NoSuchOperator-1 is not supported | 'ortool providers --kernels' "
        "lists what is supported");
}

TEST_CASE("Refusing a compiled network names its compiler, partition and source") {
  CHECK(refusal("y = com.microsoft.EPContext <source = \"QNN\", partition_name = \"p0\", "
                "onnx_model_filename = \"net.onnx\"> (x)") ==
        "operator com.microsoft.EPContext-1 is not supported: it holds a network compiled for a "
        "device by 'QNN', its partition 'p0' | use the ONNX model that it was compiled from, "
        "'net.onnx'");
  CHECK(refusal("y = com.microsoft.EPContext (x)") ==
        "operator com.microsoft.EPContext-1 is not supported: it holds a network compiled for a "
        "device | use the ONNX model that it was compiled from");
}

}  // namespace
}  // namespace ortool
