// Conversions between element types, and elements as text.
#include "libcore/tensor/convert.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

using namespace ortool;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

constexpr DataType arithmetic_types[] = {
    DataType::float32,   DataType::uint8,      DataType::int8,           DataType::uint16,
    DataType::int16,     DataType::int32,      DataType::int64,          DataType::boolean,
    DataType::float16,   DataType::float64,    DataType::uint32,         DataType::uint64,
    DataType::bfloat16,  DataType::float8e5m2, DataType::float8e4m3fn,   DataType::float8e4m3fnuz,
    DataType::uint4,     DataType::int4,       DataType::float4e2m1,     DataType::uint2,
    DataType::int2,      DataType::float8e8m0, DataType::float8e5m2fnuz, DataType::float6e2m3,
    DataType::float6e3m2};

std::int64_t one(DataType to, double value) {
  return element_as_int64(convert(Tensor::scalar(value), to), 0);
}

}  // namespace

TEST_CASE("one survives the way from every type to every type") {
  for (const DataType from : arithmetic_types) {
    for (const DataType to : arithmetic_types) {
      if (from == DataType::int2 || to == DataType::int2) continue;
      INFO(name_of(from) << " to " << name_of(to));
      Tensor tensor(from, Shape{3});
      for (std::int64_t i = 0; i < 3; ++i) set_element(tensor, i, std::int64_t{1});
      const Tensor converted = convert(tensor, to);
      CHECK(converted.type() == to);
      CHECK(element_as_double(converted, 2) == 1);
      CHECK(element_as_int64(converted, 1) == 1);
    }
  }
}

TEST_CASE("integers wrap and floats keep to the ends of an integer type") {
  CHECK(element_as_int64(convert(Tensor::scalar<std::int16_t>(200), DataType::int8), 0) == -56);
  CHECK(element_as_int64(convert(Tensor::scalar<std::int64_t>(-1), DataType::uint4), 0) == 15);
  CHECK(element_as_int64(convert(Tensor::scalar<std::int64_t>(7), DataType::int2), 0) == -1);
  CHECK(one(DataType::int8, 1e9) == 127);
  CHECK(one(DataType::int8, -1e9) == -128);
  CHECK(one(DataType::uint8, -0.5) == 0);
  CHECK(one(DataType::int32, -2.9) == -2);
  CHECK(one(DataType::int64, 1e30) == std::numeric_limits<std::int64_t>::max());
  CHECK(one(DataType::int64, -1e30) == std::numeric_limits<std::int64_t>::min());
  CHECK(static_cast<std::uint64_t>(one(DataType::uint64, 1e30)) ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(static_cast<std::uint64_t>(one(DataType::uint64, 0x1p63)) == std::uint64_t{1} << 63);
  CHECK(one(DataType::int4, infinity) == 7);
  CHECK(one(DataType::int32, nan_value) == 0);
  CHECK(one(DataType::boolean, nan_value) == 1);
  CHECK(one(DataType::boolean, -0.0) == 0);
}

TEST_CASE("64-bit integers stay exact and round once on their way to a float") {
  const auto large = (std::int64_t{1} << 53) + 1;
  CHECK(element_as_int64(convert(Tensor::scalar(large), DataType::uint64), 0) == large);
  // Just above the midpoint of two bfloat16 values: rounding to double first would lose that.
  const std::int64_t above_half = (std::int64_t{0x101} << 54) + 1;
  CHECK(element_as_double(convert(Tensor::scalar(above_half), DataType::bfloat16), 0) ==
        std::ldexp(0x102, 54));
  CHECK(element_as_double(convert(Tensor::scalar(-above_half), DataType::bfloat16), 0) ==
        -std::ldexp(0x102, 54));
  const auto all_ones = std::numeric_limits<std::uint64_t>::max();
  CHECK(element_as_double(convert(Tensor::scalar(all_ones), DataType::float32), 0) == 0x1p64);
  CHECK(convert(Tensor::scalar(all_ones), DataType::float64).data<double>()[0] == 0x1p64);
}

TEST_CASE("doubles round once to half precision") {
  // The midpoint of two float16 values plus a little that float32 cannot hold.
  const double value = 1 + 0x1p-11 + 0x1p-40;
  CHECK(element_as_double(convert(Tensor::scalar(value), DataType::float16), 0) == 1 + 0x1p-10);
}

TEST_CASE("packed tensors convert with an odd count, and the room left is zero") {
  const Tensor wide = Tensor::of<std::int32_t>(Shape{5}, {1, -2, 3, -4, 5});
  const Tensor packed = convert(wide, DataType::int4);
  CHECK(packed.size_bytes() == 3);
  CHECK(packed.bytes()[0] == std::byte{0xe1});
  CHECK(packed.bytes()[2] == std::byte{0x05});
  const Tensor back = convert(packed, DataType::int32);
  CHECK(std::memcmp(back.bytes(), wide.bytes(), 20) == 0);
}

TEST_CASE("elements of an unaligned view are read") {
  auto bytes = std::make_shared<std::vector<std::byte>>(9);
  const float values[2] = {1.5F, -2.5F};
  std::memcpy(bytes->data() + 1, values, 8);
  const Tensor view =
      Tensor::view(DataType::float32, Shape{2}, std::span(*bytes).subspan(1), bytes);
  CHECK(element_as_double(view, 1) == -2.5);
  CHECK(element_as_int64(convert(view, DataType::int16), 0) == 1);
}

TEST_CASE("strings and complex numbers are refused by name") {
  const Tensor text = Tensor::of_strings(Shape{1}, {"a"});
  CHECK_THROWS_WITH(convert(text, DataType::float32), Catch::Contains("type string"));
  CHECK_THROWS_WITH(convert(Tensor::scalar(1.0F), DataType::complex64),
                    Catch::Contains("type complex64"));
  CHECK(convert(text, DataType::string).strings()[0] == "a");
}

TEST_CASE("an element prints as the shortest text that reads back the same") {
  CHECK(element_text(Tensor::scalar(0.1F), 0) == "0.1");
  CHECK(element_text(Tensor::scalar(0.1), 0) == "0.1");
  CHECK(element_text(Tensor::scalar(-0.0F), 0) == "-0");
  CHECK(element_text(Tensor::scalar(1e20F), 0) == "1e+20");
  CHECK(element_text(Tensor::scalar(infinity), 0) == "inf");
  CHECK(element_text(Tensor::scalar(-infinity), 0) == "-inf");
  CHECK(element_text(Tensor::scalar(nan_value), 0) == "nan");
  CHECK(element_text(convert(Tensor::scalar(0.1), DataType::float16), 0) == "0.1");
  CHECK(element_text(convert(Tensor::scalar(448.0), DataType::float8e4m3fn), 0) == "448");
  CHECK(element_text(Tensor::scalar(std::numeric_limits<std::uint64_t>::max()), 0) ==
        "18446744073709551615");
  CHECK(element_text(Tensor::scalar(true), 0) == "true");
  CHECK(element_text(Tensor::of_strings(Shape{}, {"a b"}), 0) == "a b");
}

TEST_CASE("the text of every half and bfloat16 reads back as the same bits") {
  for (const DataType type : {DataType::float16, DataType::bfloat16}) {
    std::uint32_t differing = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
      Tensor tensor(type, Shape{});
      const auto pattern = static_cast<std::uint16_t>(bits);
      std::memcpy(tensor.mutable_bytes(), &pattern, 2);
      const std::string text = element_text(tensor, 0);
      if (text == "nan") continue;
      differing += encode_float(type, std::stod(text)) != bits;
    }
    CHECK(differing == 0);
  }
}
