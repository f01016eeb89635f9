// Invalid models are not saved.
#include "libcore/check/save_checked.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/read/outline.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool {
namespace {

TEST_CASE("a model that breaks a rule of ONNX is not written, and the error names all findings") {
  const auto model = parse_model(
      "<ir_version: 10, opset_import: [\"\": 18]> g (float[2] x) => (float[2] y, float[2] z) "
      "{ [a] y = Fancy (x) [b] z = Relu <slope = 1> (x) }");
  const test::ScratchFile file("invalid.onnx");
  std::filesystem::remove(file.path());
  try {
    save_checked_model(*model, file.path());
    FAIL("it was written");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::invalid);
    CHECK(error.id() == "save.invalid");
    CHECK_THAT(error.what(), Catch::Contains(file.path()) && Catch::Contains("'a' (Fancy)") &&
                                 Catch::Contains("1 more error"));
    REQUIRE(error.parts().size() == 2);
    CHECK(error.parts()[0].id() == "node.operator.unknown");
    CHECK(error.parts()[1].id() == "node.attribute.unknown");
  }
  CHECK_FALSE(std::filesystem::exists(file.path()));
}

TEST_CASE("a model that others refuse and ortool takes is written") {
  const auto model = parse_model(
      "<ir_version: 10, opset_import: [\"\": 13]> g (float[2, 4] x) => (float[2, 4] y) "
      "<float[4] s = {1, 2, 3, 4}> { y = LayerNormalization (x, s) }");
  const test::ScratchFile file("early.onnx");
  CHECK(save_checked_model(*model, file.path()) > 0);
  CHECK(load_model(file.path())->graph->node_count() == 1);
}

TEST_CASE("the outline of a model holds no large weights, and what shapes follow from") {
  const auto model = parse_model(
      "<ir_version: 10, opset_import: [\"\": 18]> g (float[6, 2000] x, float[2000] w, int64[3] s)"
      " => (float[2, 3, 2000] y) { a = Add (x, w) y = Reshape (a, s) }");
  Graph& graph = *model->graph;
  graph.set_constant(*graph.find_value("w"), Tensor(DataType::float32, Shape({2000})));
  graph.set_constant(*graph.find_value("s"), Tensor::of<std::int64_t>({3}, {2, 3, 2000}));
  const std::string text = outline_of(*model);
  CHECK(text.size() < 1000);
  CHECK_THAT(text, Catch::Contains("location"));
}

}  // namespace
}  // namespace ortool
