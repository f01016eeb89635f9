// Values as JSON: what is written can be read, and the short forms that people write.
#include "libcore/dataset/values/json_value.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

namespace ortool {
namespace {

const ValueType floats = ValueType::tensor(DataType::float32);

RunValue parse(std::string_view text, const ValueType& type) {
  return parse_json_value(text, type, std::nullopt, nullptr);
}

TEST_CASE("what is written as JSON is read again", "[json_value]") {
  const Tensor tensor(DataType::float32, Shape{0, 3});
  const RunValue sequence =
      RunValue::sequence({tensor, Tensor::of<std::uint8_t>(Shape{2, 1}, {7, 255})});
  const RunValue back = parse(value_json("x", sequence).write(), ValueType::sequence(ValueType()));
  REQUIRE(back.elements().size() == 2);
  CHECK(back.elements()[0].tensor().shape() == Shape{0, 3});
  CHECK(back.elements()[1].tensor().data<std::uint8_t>()[1] == 255);
  const RunValue map = RunValue::map(Tensor::of_strings(Shape{2}, {"a", "b"}),
                                     Tensor::of<float>(Shape{2}, {1.5F, -1.0F}));
  const RunValue same =
      parse(value_json("m", map).write(), ValueType::map(DataType::string, DataType::float32));
  CHECK(same.keys().strings()[1] == "b");
  CHECK(same.map_values().data<float>()[1] == -1.0F);
  CHECK(parse(value_json("", {}).write(), ValueType::optional(floats)).is_none());
}

TEST_CASE("arrays, objects and null stand for values", "[json_value]") {
  const RunValue sequence = parse("[[1, 2], [3]]", ValueType::sequence(floats));
  REQUIRE(sequence.elements().size() == 2);
  CHECK(sequence.elements()[0].tensor().type() == DataType::float32);
  const RunValue map =
      parse(R"({"-3": 1, "4": 2})", ValueType::map(DataType::int64, DataType::float32));
  CHECK(map.keys().data<std::int64_t>()[0] == -3);
  CHECK(parse("null", ValueType::optional(floats)).is_none());
  CHECK(parse("[1, 2]", ValueType::optional(floats)).tensor().element_count() == 2);
  CHECK(parse("{\"data\": [\"NaN\"], \"dtype\": \"float16\"}", floats).tensor().type() ==
        DataType::float16);
}

TEST_CASE("JSON of another kind is refused", "[json_value]") {
  CHECK_THROWS_AS(parse("null", floats), Error);
  CHECK_THROWS_AS(parse("3", ValueType::sequence(floats)), Error);
  CHECK_THROWS_AS(parse("[1]", ValueType::map(DataType::int64, DataType::float32)), Error);
  CHECK_THROWS_AS(parse("{\"data\": [1, 2], \"shape\": [3]}", floats), Error);
  CHECK_THROWS_AS(parse("{\"data\": [1], \"dtype\": \"float3\"}", floats), Error);
  CHECK_THROWS_AS(parse("{}", floats), Error);
}

}  // namespace
}  // namespace ortool
