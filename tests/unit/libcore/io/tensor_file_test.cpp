// Tensors from JSON, text and raw files, and the choice by extension.
#include "libcore/io/tensor_file.hpp"

#include <catch2/catch.hpp>

#include "libcore/tensor/convert.hpp"
#include "tests/support/scratch_file.hpp"

using namespace ortool;

TEST_CASE("nested JSON arrays are tensors") {
  const Tensor integers = parse_json_tensor("[[1, 2, 3], [4, 5, -6]]");
  CHECK(integers.type() == DataType::int64);
  CHECK(integers.shape() == Shape{2, 3});
  CHECK(element_as_int64(integers, 5) == -6);
  CHECK(parse_json_tensor("[1, 2.5]").type() == DataType::float32);
  CHECK(parse_json_tensor("3").shape() == Shape{});
  CHECK(parse_json_tensor("[true, false]").type() == DataType::boolean);
  CHECK(parse_json_tensor("[\"a\", \"b\"]").strings()[1] == "b");
  CHECK(parse_json_tensor("[\"nan\", 1, \"-inf\"]", DataType::float64).type() == DataType::float64);
  CHECK(parse_json_tensor("[[], []]").shape() == Shape{2, 0});
  CHECK(element_as_int64(parse_json_tensor("[1, 15]", DataType::uint4), 1) == 15);
  CHECK(element_text(parse_json_tensor("18446744073709551615"), 0) == "18446744073709551615");
}

TEST_CASE("JSON that is no tensor is refused") {
  for (const char* text : {"", "[1, [2]]", "[[1], 2]", "[[1], [2, 3]]", "[[1], []]", "[null]",
                           "{\"a\": 1}", "[1", "[1] 2", "[\"x\", 1]", "[1e999]", "nan"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_json_tensor(text), Error);
  }
  CHECK_THROWS_WITH(parse_json_tensor("[300]", DataType::uint8), Catch::Contains("300"));
  CHECK_THROWS_WITH(parse_json_tensor("[1.5]", DataType::int32), Catch::Contains("1.5"));
  CHECK_THROWS_AS(parse_json_tensor(std::string(1000000, '[')), Error);
}

TEST_CASE("lines of text are strings") {
  CHECK(parse_text_tensor("a\r\nb\n").shape() == Shape{2});
  CHECK(parse_text_tensor("a\r\nb\n").strings()[0] == "a");
  CHECK(parse_text_tensor("a\nb", {-1, 1}).shape() == Shape{2, 1});
  CHECK(parse_text_tensor("a", {1, 1}).shape() == Shape{1, 1});
  CHECK_THROWS_WITH(parse_text_tensor("a\nb", {-1, 3}),
                    Catch::Contains("2 lines of text cannot have the shape ?x3"));
}

TEST_CASE("raw files need type and shape, and exactly their bytes") {
  const test::ScratchFile file("x.raw", std::string(8, '\1'));
  const TensorFileOptions options{.type = DataType::int32, .dimensions = {2, 1}};
  const Tensor tensor = load_tensor_file(file.path(), options);
  CHECK(element_as_int64(tensor, 1) == 0x01010101);
  CHECK_THROWS_WITH(load_tensor_file(file.path()), Catch::Contains("type and shape"));
  CHECK_THROWS_WITH(load_tensor_file(file.path(), {.type = DataType::int64, .dimensions = {2}}),
                    Catch::Contains("8 bytes found"));
}

TEST_CASE("files of unknown kinds and missing files are named") {
  const test::ScratchFile file("x.xyz", "x");
  CHECK_THROWS_WITH(load_tensor_file(file.path()), Catch::Contains("'.xyz'"));
  CHECK_THROWS_WITH(load_tensor_file("/nowhere/x.npy"), Catch::StartsWith("/nowhere/x.npy"));
}
