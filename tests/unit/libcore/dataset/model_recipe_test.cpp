// Tests of image recipes from metadata and first nodes.
#include "libcore/dataset/model_recipe.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> model_with(const std::string& metadata, const std::string& nodes,
                                  const std::string& type = "float") {
  return inferred_model("<ir_version: 10, opset_import: [\"\": 20], metadata_props: [" + metadata +
                        "]> g (" + type +
                        "[1, 3, 8, 8] x) => (float[] y) "
                        "<float s = {255}, float[1, 3, 1, 1] w = {1, 1, 1}> {" +
                        nodes + "}");
}

std::string recipe_for(const Model& model) {
  const auto found = find_model_recipe(model, *model.graph->inputs()[0]);
  return found ? found->recipe : "none";
}

std::string warning_for(const Model& model) {
  return unnormalized_warning(model, *model.graph->inputs()[0]);
}

TEST_CASE("metadata names the recipe", "[dataset]") {
  const std::string nodes = "y = Conv (x, w)";
  const auto yolo =
      model_with(R"("author": "Ultralytics", "task": "detect", "stride": "32")", nodes);
  CHECK(recipe_for(*yolo) == "yolo");
  const auto classifier =
      model_with(R"("author": "Ultralytics", "task": "classify", "stride": "1")", nodes);
  CHECK(recipe_for(*classifier) == "size:224,crop_pct:1,scale:1/255");
  const auto standard = model_with(
      R"("Image.BitmapPixelFormat": "Bgr8", "Image.NominalPixelRange": "Normalized_1_1")", nodes);
  CHECK(recipe_for(*standard) == "scale:1/127.5,mean:1,order:bgr");
  CHECK_THAT(warning_for(*standard), Catch::Contains("auto"));
  CHECK(recipe_for(*model_with(R"("author": "Ultralytics")", nodes)) == "none");
}

TEST_CASE("first nodes that scale pixel values need no recipe", "[dataset]") {
  const auto scaling = model_with("", "a = Div (x, s)  y = Conv (a, w)");
  CHECK(recipe_for(*scaling) == "scale:1");
  CHECK(warning_for(*scaling).empty());
  const auto plain = model_with("", "y = Conv (x, w)");
  CHECK(recipe_for(*plain) == "none");
  CHECK_THAT(warning_for(*plain), Catch::Contains("imagenet"));
  CHECK(warning_for(*model_with("", "a = Cast <to = 1> (x)  y = Conv (a, w)", "uint8")).empty());
}

}  // namespace
}  // namespace ortool
