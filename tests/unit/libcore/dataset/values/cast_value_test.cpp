// Cast of input values to the types of a model.
#include "libcore/dataset/values/cast_value.hpp"

#include <catch2/catch.hpp>

#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

TEST_CASE("numbers are converted, with a warning where integers change them", "[dataset]") {
  MemoryCap cap;
  RunValue value = Tensor::of<double>(Shape{2}, {0.1, 2});
  CHECK(cast_value("x", ValueType::tensor(DataType::float32), value, cap).empty());
  CHECK(value.tensor().type() == DataType::float32);
  CHECK(element_as_double(value.tensor(), 0) == Approx(0.1));

  const std::string warning = cast_value("x", ValueType::tensor(DataType::int32), value, cap);
  CHECK(warning == "cast to int32 changes 1 of 2 elements of input 'x' (first: 0.1 to 0)");
  CHECK(element_as_int64(value.tensor(), 1) == 2);

  RunValue large = Tensor::of<std::int64_t>(Shape{1}, {300});
  CHECK_THAT(cast_value("x", ValueType::tensor(DataType::uint8), large, cap),
             Catch::Contains("300 to 44"));
}

TEST_CASE("what needs no cast or has none stays", "[dataset]") {
  MemoryCap cap;
  RunValue text = Tensor::of_strings(Shape{1}, {"7"});
  CHECK(cast_value("x", ValueType::tensor(DataType::float32), text, cap).empty());
  CHECK(text.tensor().type() == DataType::string);
  RunValue number = Tensor::of<float>(Shape{1}, {0.5F});
  CHECK(cast_value("x", ValueType(), number, cap).empty());
  CHECK(number.tensor().type() == DataType::float32);
  const ValueType maybe = ValueType::optional(ValueType::tensor(DataType::float64));
  CHECK(cast_value("x", maybe, number, cap).empty());
  CHECK(number.tensor().type() == DataType::float64);
}

}  // namespace
}  // namespace ortool
