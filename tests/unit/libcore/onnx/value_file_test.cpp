// Sequences, maps and optionals in .pb files, and files that are broken or hold something else.
#include "libcore/onnx/value_file.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool {
namespace {

const ValueType floats = ValueType::tensor(DataType::float32);

RunValue read_back(const std::string& message, const ValueType& type) {
  auto owner = std::make_shared<std::string>(message);
  const auto bytes = std::as_bytes(std::span(owner->data(), owner->size()));
  return read_value({bytes, std::move(owner), {}}, type);
}

RunValue round_trip(const RunValue& value, const ValueType& type) {
  return read_back(value_message("v", value, type), type);
}

Tensor numbers(std::int64_t count) {
  Tensor tensor(DataType::float32, Shape{count});
  for (std::int64_t i = 0; i < count; ++i) set_element(tensor, i, static_cast<double>(i));
  return tensor;
}

TEST_CASE("a sequence of tensors of different sizes keeps its elements", "[value_file]") {
  const RunValue value = RunValue::sequence({numbers(3), numbers(2000), numbers(0)});
  const RunValue back = round_trip(value, ValueType::sequence(floats));
  REQUIRE(back.elements().size() == 3);
  CHECK(back.elements()[0].tensor().data<float>()[2] == 2);
  CHECK(element_as_double(back.elements()[1].tensor(), 1999) == 1999);
  CHECK(back.elements()[2].tensor().shape() == Shape{0});
}

TEST_CASE("an empty sequence and an empty optional are kept", "[value_file]") {
  CHECK(round_trip(RunValue::sequence({}), ValueType::sequence(floats)).elements().empty());
  const ValueType optional = ValueType::optional(ValueType::sequence(floats));
  CHECK(round_trip({}, optional).is_none());
  CHECK(round_trip(RunValue::sequence({numbers(1)}), optional).elements().size() == 1);
}

TEST_CASE("the bytes of a sequence are those of the format's definition", "[value_file]") {
  const RunValue value = RunValue::sequence({Tensor::of<std::int8_t>(Shape{2}, {1, 2})});
  // name "v"; elem_type TENSOR; tensor_values {dims 2, data_type INT8, raw_data 01 02}
  const char expected[] = "\x0a\x01v\x10\x01\x1a\x08\x08\x02\x10\x03\x4a\x02\x01\x02";
  CHECK(value_message("v", value, ValueType::sequence(ValueType::tensor(DataType::int8))) ==
        std::string(expected, sizeof(expected) - 1));
}

TEST_CASE("a sequence of maps keeps keys and values", "[value_file]") {
  const RunValue map = RunValue::map(Tensor::of<std::int64_t>(Shape{2}, {7, -1}),
                                     Tensor::of<float>(Shape{2}, {0.5F, 2.0F}));
  const ValueType type = ValueType::sequence(ValueType::map(DataType::int64, DataType::float32));
  const RunValue back = round_trip(RunValue::sequence({map}), type);
  REQUIRE(back.elements().size() == 1);
  CHECK(back.elements()[0].keys().data<std::int64_t>()[1] == -1);
  CHECK(back.elements()[0].map_values().data<float>()[1] == 2.0F);
  const RunValue texts =
      RunValue::map(Tensor::of_strings(Shape{1}, {"a"}), Tensor::of_strings(Shape{1}, {"b"}));
  const RunValue same = round_trip(texts, ValueType::map(DataType::string, DataType::string));
  CHECK(same.keys().strings()[0] == "a");
  CHECK(same.map_values().strings()[0] == "b");
}

TEST_CASE("the name inside a file is told", "[value_file]") {
  const test::ScratchFile file("sequence.pb");
  const ValueType type = ValueType::sequence(floats);
  save_value(file.path(), "the name", RunValue::sequence({numbers(1)}), type);
  std::string name;
  CHECK(load_value(file.path(), type, &name).elements().size() == 1);
  CHECK(name == "the name");
}

TEST_CASE("a broken or other message is refused", "[value_file]") {
  const std::string tensor = value_message("v", numbers(4), floats);
  CHECK_THROWS_AS(read_back(tensor, ValueType::sequence(floats)), Error);
  const ValueType type = ValueType::sequence(floats);
  const std::string whole = value_message("v", RunValue::sequence({numbers(4)}), type);
  CHECK_THROWS_AS(read_back(whole.substr(0, whole.size() - 1), type), Error);
  // A map with one key and no value; one with keys of two kinds.
  const ValueType map = ValueType::map(DataType::int64, DataType::float32);
  CHECK_THROWS_WITH(read_back(std::string("\x18\x01", 2), map), Catch::Contains("1 keys for 0"));
  CHECK_THROWS_WITH(read_back(std::string("\x18\x01\x22\x01k", 5), map),
                    Catch::Contains("numbers and strings"));
}

}  // namespace
}  // namespace ortool
