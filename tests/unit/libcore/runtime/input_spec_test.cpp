// Hints for inputs of another element type, layout or rank than the model's.
#include "libcore/runtime/input_spec.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

std::string hint_for(DataType element, const Shape& shape, const ValueType& type) {
  return input_mismatch("x", element, shape, type).hint();
}

ValueType float_input(std::initializer_list<std::int64_t> sizes) {
  Dimensions dimensions;
  for (const std::int64_t size : sizes)
    dimensions.push_back(size < 0 ? Dimension() : Dimension(size));
  return ValueType::tensor(DataType::float32, std::move(dimensions));
}

TEST_CASE("a mismatch of types is converted", "[run]") {
  const std::string hint = hint_for(DataType::int64, Shape{2}, float_input({2}));
  CHECK_THAT(hint, Catch::Contains("convert it to float32"));
  CHECK_THAT(hint, Catch::Contains("x.astype(\"float32\")"));
  CHECK_THAT(hint, !Catch::Contains("scaling"));
  CHECK_THAT(hint_for(DataType::uint8, Shape{2}, float_input({2})), Catch::Contains("scaling"));
  CHECK_THAT(hint_for(DataType::string, Shape{2}, float_input({2})), !Catch::Contains("astype"));
}

TEST_CASE("layouts and batch axes are recognized", "[run]") {
  const ValueType nchw = float_input({-1, 3, 8, 9});
  CHECK_THAT(hint_for(DataType::float32, Shape{5, 8, 9, 3}, nchw),
             Catch::Contains("x.transpose(0, 3, 1, 2)"));
  CHECK_THAT(hint_for(DataType::float32, Shape{3, 8, 9}, nchw), Catch::Contains("x[None]"));
  CHECK_THAT(hint_for(DataType::float32, Shape{8, 9, 3}, nchw),
             Catch::Contains("x.transpose(2, 0, 1)[None]"));
  const ValueType nhwc = float_input({1, -1, -1, 3});
  CHECK_THAT(hint_for(DataType::float32, Shape{1, 3, 8, 9}, nhwc),
             Catch::Contains("x.transpose(0, 2, 3, 1)"));
  CHECK_THAT(hint_for(DataType::float32, Shape{3, 8, 9}, nhwc),
             Catch::Contains("x.transpose(1, 2, 0)[None]"));
  CHECK_THAT(hint_for(DataType::float32, Shape{1, 4}, float_input({4})), Catch::Contains("x[0]"));
}

TEST_CASE("shapes without a plain remedy have the general hint", "[run]") {
  for (const Shape& shape : {Shape{5}, Shape{2, 2}, Shape{1, 2, 3, 4}, Shape()}) {
    INFO(shape.to_string());
    CHECK_THAT(hint_for(DataType::float32, shape, float_input({1, 7})), Catch::Contains("reshape"));
  }
  // Any permutation would fit open channels.
  CHECK_THAT(hint_for(DataType::float32, Shape{8, 9, 3}, float_input({2, -1, -1, -1})),
             Catch::Contains("reshape"));
  CHECK_THAT(hint_for(DataType::int64, Shape{5}, float_input({7})), Catch::Contains("reshape"));
}

}  // namespace
}  // namespace ortool
