// Weight statistics of the HTML page: values as text, ranges, histograms and their bounds.
#include "apps/ortool/inspect/weight_block.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"

namespace {

/// The block of the only weight of a model, the tensor given as a text of elements.
std::string block_of(const std::string& type, const std::string& elements) {
  const auto model = ortool::parse_model(
      "<ir_version: 9, opset_import: [\"\": 17]>\n"
      "g (float[2] x) => (float[2] y) <" +
      type + " w = {" + elements + "}> { y = Identity (x) }");
  return ortool::weight_blocks(*model, true).write_compact();
}

}  // namespace

TEST_CASE("A weight has its first values, range and histogram") {
  const std::string block = block_of("float[3]", "1, 3, 1");
  CHECK(block.find("\"name\": \"w\"") != std::string::npos);
  CHECK(block.find("\"first\": [\"1\", \"3\", \"1\"]") != std::string::npos);
  CHECK(block.find("\"min\": 1, \"max\": 3") != std::string::npos);
  // 32 bins: two in the first, one in the last.
  CHECK(block.find("\"histogram\": [2, 0, ") != std::string::npos);
  CHECK(block.find(", 0, 1]") != std::string::npos);
  CHECK(block.find("sampled") == std::string::npos);
}

TEST_CASE("Only 16 values of a weight are listed") {
  std::string elements = "0";
  for (int i = 1; i < 40; ++i) elements += ", " + std::to_string(i);
  const std::string block = block_of("int64[40]", elements);
  CHECK(block.find("\"14\", \"15\"]") != std::string::npos);
  CHECK(block.find("\"16\"") == std::string::npos);
}

TEST_CASE("Integers beyond 2^53 are exact, scalars and equal elements have no histogram") {
  CHECK(block_of("int64", "1152921504606846977") ==
        "[{\"name\": \"w\", \"first\": [\"1152921504606846977\"]}]");
  const std::string equal = block_of("float[3]", "5, 5, 5");
  CHECK(equal.find("\"max\": 5") != std::string::npos);
  CHECK(equal.find("histogram") == std::string::npos);
}

TEST_CASE("Strings are listed, not counted") {
  const std::string block = block_of("string[2]", "\"a\", \"b\"");
  CHECK(block == "[{\"name\": \"w\", \"first\": [\"a\", \"b\"]}]");
}

TEST_CASE("NaN and infinite elements are counted and left out of the histogram") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto model = ortool::parse_model(
      "<ir_version: 9, opset_import: [\"\": 17]>\n"
      "g (float[4] x) => (float[4] y) { y = Relu (x) }");
  model->graph->add_constant("w", ortool::Tensor::of<float>({4}, {std::nanf(""), infinity, -1, 1}));
  const std::string block = ortool::weight_blocks(*model, true).write_compact();
  CHECK(block.find("\"nan\": 1, \"inf\": 1, \"histogram\": [1, 0, ") != std::string::npos);
  CHECK(block.find(", 0, 1], \"low\": -1, \"high\": 1}]") != std::string::npos);
}

TEST_CASE("Nothing is read of weights if they shall not be read") {
  const auto model = ortool::parse_model(
      "<ir_version: 9, opset_import: [\"\": 17]>\n"
      "g (float[2] x) => (float[2] y) <float[2] w = {1, 3}> { y = Add (x, w) }");
  CHECK(ortool::weight_blocks(*model, false).write_compact() == "[]");
}
