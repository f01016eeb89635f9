// Embedded preprocessing: the nodes at an input, and their results on images.
#include "libcore/optimize/surgery/embed_preprocessing.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/io/image_tensor.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/text/print.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

std::unique_ptr<Model> embedded(const std::string& text, const Preprocessing& preprocessing) {
  std::unique_ptr<Model> model = inferred_model(text);
  embed_preprocessing(*model, *model->graph->inputs()[0], preprocessing);
  verify(*model->graph);
  infer_shapes(*model);
  return model;
}

Image picture_of(std::int64_t width, std::int64_t height, std::int64_t channels) {
  Image image{.width = width, .height = height, .channels = channels, .pixels = {}};
  image.pixels.resize(static_cast<std::size_t>(width * height * channels));
  for (std::size_t i = 0; i < image.pixels.size(); ++i)
    image.pixels[i] = static_cast<std::uint8_t>((i * 97 + i / 7 * 31) % 256);
  return image;
}

/// The model's output for a picture in NHWC.
Tensor run(std::unique_ptr<Model> model, const Image& image) {
  const Session session(std::move(model),
                        {.providers = {make_cpu_provider()}, .optimize = OptimizeLevel::none});
  const Shape shape{1, image.height, image.width, image.channels};
  const Tensor pixels = Tensor::of<std::uint8_t>(shape, std::span(image.pixels));
  return session.run({{"x", pixels}}, {}).front().tensor();
}

constexpr const char* planes =
    "<ir_version: 9, opset_import: [\"\" : 18]>\n"
    "g (float[1, 3, 6, 8] x) => (float[1, 3, 6, 8] y) { y = Identity (x) }";

TEST_CASE("an input of planes takes pictures with their channels last") {
  const auto model = embedded(planes, {});
  const std::string text = print_graph(*model->graph);
  CHECK(text.find("uint8[1, 6, 8, 3] x") != std::string::npos);
  CHECK(text.find("x_transposed = Transpose <perm = [0, 3, 1, 2]> (x)") != std::string::npos);
  CHECK(text.find("x_float = Cast <to = 1> (x_transposed)") != std::string::npos);
  CHECK(text.find("y = Identity (x_float)") != std::string::npos);
}

TEST_CASE("embedded nodes make of a picture what its options say") {
  const Image image = picture_of(8, 6, 3);
  ImageOptions options = parse_image_options(
      "layout:nchw,order:bgr,scale:1/255,mean:0.485/0.456/0.406,std:0.229/0.224/0.225");
  Preprocessing nodes;
  nodes.reverses_channels = true;
  for (std::size_t i = 0; i < 3; ++i) {
    nodes.subtracted.push_back(options.mean[i] * 255);
    nodes.factors.push_back(1 / 255.0 / options.std[i]);
  }
  const std::vector<std::int64_t> sizes = {1, 3, 6, 8};
  const Tensor expected = image_to_tensor(image, options, DataType::float32, sizes);
  const Tensor found = run(embedded(planes, nodes), image);
  CHECK(compare(found, expected, {.rtol = 1e-6, .atol = 1e-6}).passed);
}

TEST_CASE("pictures of any size are resized and cropped as run does, to a level") {
  for (const auto& [width, height] : {std::pair<std::int64_t, std::int64_t>{21, 13}, {11, 40}}) {
    const Image image = picture_of(width, height, 3);
    const ImageOptions options = parse_image_options("layout:nchw,resize:9,crop:8x6");
    Preprocessing nodes;
    nodes.shorter_side = 9;
    nodes.cropped = {8, 6};
    const std::vector<std::int64_t> sizes = {1, 3, 6, 8};
    const Tensor expected = image_to_tensor(image, options, DataType::float32, sizes);
    auto model = embedded(planes, nodes);
    CHECK(model->graph->inputs()[0]->type().to_string() == "uint8[1 x x_height x x_width x 3]");
    CHECK(compare(run(std::move(model), image), expected, {.rtol = 0, .atol = 1}).passed);
  }
}

TEST_CASE("half precision is reached last, and channels may stay last") {
  const auto model = embedded(
      "<ir_version: 9, opset_import: [\"\" : 13]>\n"
      "g (float16[n, 6, 8, 3] x) => (float16[n, 6, 8, 3] y) { y = Identity (x) }",
      {.has_planes = false, .subtracted = {1, 2, 3}, .factors = {0.5}});
  const std::string text = print_graph(*model->graph);
  CHECK(text.find("uint8[n, 6, 8, 3] x") != std::string::npos);
  CHECK(text.find("Transpose") == std::string::npos);
  CHECK(text.find("Cast <to = 10> (x_scaled)") != std::string::npos);
}

TEST_CASE("names that are taken are passed by") {
  const auto model = embedded(
      "<ir_version: 9, opset_import: [\"\" : 13]>\n"
      "g (float[6, 8] x) => (float[6, 8] y) { x_float = Neg (x) y = Abs (x_float) }",
      {});
  CHECK(print_graph(*model->graph).find("x_float = Neg (x_float_)") != std::string::npos);
}

TEST_CASE("resizing needs the opset that smooths, and bytes as they are need nothing") {
  CHECK_THROWS_WITH(
      embedded("<ir_version: 8, opset_import: [\"\" : 17]>\n"
               "g (float[1, 3, 6, 8] x) => (float[1, 3, 6, 8] y) { y = Identity (x) }",
               {.resized = {8, 6}}),
      Catch::Contains("requires opset 18 (the model has 17)"));
  CHECK_THROWS_WITH(
      embedded("<ir_version: 8, opset_import: [\"\" : 17]>\n"
               "g (uint8[1, 6, 8, 3] x) => (uint8[1, 6, 8, 3] y) { y = Identity (x) }",
               {.has_planes = false}),
      Catch::Contains("already takes such uint8 images"));
}

}  // namespace
}  // namespace ortool
