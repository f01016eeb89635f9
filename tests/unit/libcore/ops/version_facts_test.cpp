// Version facts of operators: the opsets that rules and passes ask for.
#include "libcore/ops/version_facts.hpp"

#include <catch2/catch.hpp>

namespace ortool {

TEST_CASE("The opset that brought an operator, an attribute, an input or a type") {
  CHECK(opset_of("LayerNormalization") == 17);
  CHECK(opset_of("Einsum") == 12);
  CHECK(opset_of("GroupNormalization") == 18);
  CHECK(opset_of("QuantizeLinear") == 10);
  CHECK(opset_of("DynamicQuantizeLinear") == 11);
  CHECK(opset_of_attribute("QuantizeLinear", "axis") == 13);
  CHECK(opset_of_attribute("QuantizeLinear", "block_size") == 21);
  CHECK(opset_of_attribute("DequantizeLinear", "axis") == 13);
  CHECK(opset_of_attribute("AveragePool", "count_include_pad") == 7);
  CHECK(opset_of_attribute("DepthToSpace", "mode") == 11);
  CHECK(opset_of_attribute("Resize", "coordinate_transformation_mode") == 11);
  CHECK(opset_of_attribute("Resize", "antialias") == 18);
  CHECK(opset_of_input("Reshape", "shape") == 5);
  CHECK(opset_of_input("Unsqueeze", "axes") == 13);
  CHECK(opset_of_input("Clip", "min") == 11);
  CHECK(opset_of_optional_input("Gemm", "C") == 11);
  CHECK(opset_of_type("Clip", "input", DataType::uint8) == 12);
  CHECK(opset_of_type("MaxPool", "X", DataType::uint8) == 12);
  CHECK(opset_of_type("Pad", "data", DataType::uint8) == 11);
  CHECK(opset_of_type("QuantizeLinear", "y_scale", DataType::float16) == 19);
}

TEST_CASE("The opset that took an attribute away") {
  CHECK(opset_of_broadcasting() == 7);
  CHECK(opset_without_attribute("Gemm", "broadcast") == 7);
  CHECK(opset_without_attribute("Split", "split") == 13);
}

}  // namespace ortool
