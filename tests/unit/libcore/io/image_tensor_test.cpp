// Converting pictures to input tensors, and its options.
#include "libcore/io/image_tensor.hpp"

#include <catch2/catch.hpp>

#include "libcore/tensor/convert.hpp"

using namespace ortool;

namespace {

const Image two_pixels{.width = 2, .height = 1, .channels = 3, .pixels = {10, 20, 30, 40, 50, 60}};

Tensor fit(std::vector<std::int64_t> dimensions, DataType type = DataType::float32,
           const char* options = nullptr) {
  return image_to_tensor(
      two_pixels, options == nullptr ? std::optional<ImageOptions>() : parse_image_options(options),
      type, dimensions);
}

void check_fit(const Tensor& tensor, const Shape& shape, const std::vector<double>& values) {
  CHECK(tensor.shape() == shape);
  REQUIRE(tensor.element_count() == static_cast<std::int64_t>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(element_as_double(tensor, static_cast<std::int64_t>(i)) == Approx(values[i]));
}

}  // namespace

TEST_CASE("without options a picture feeds 0 to 255 in the input's layout and size") {
  check_fit(fit({1, 3, 1, 2}), Shape{1, 3, 1, 2}, {10, 40, 20, 50, 30, 60});
  check_fit(fit({-1, -1, -1, 3}), Shape{1, 1, 2, 3}, {10, 20, 30, 40, 50, 60});
  check_fit(fit({-1, 2, 3}, DataType::uint8), Shape{1, 2, 3}, {10, 20, 30, 40, 50, 60});
  check_fit(fit({1, 1, 1, 1}), Shape{1, 1, 1, 1}, {33});
  check_fit(fit({1, 2}, DataType::float16), Shape{1, 2}, {18, 48});
  CHECK(fit({1, 3, 224, 224}).shape() == Shape{1, 3, 224, 224});
  const Image gray{.width = 1, .height = 1, .channels = 1, .pixels = {9}};
  const std::int64_t wanted[] = {1, 3, 1, 1};
  check_fit(image_to_tensor(gray, std::nullopt, DataType::float32, wanted), Shape{1, 3, 1, 1},
            {9, 9, 9});
}

TEST_CASE("options scale, shift and order the channels") {
  check_fit(fit({1, 3, 1, 2}, DataType::float32, "scale:1/10,mean:1/2/3,std:2,order:bgr"),
            Shape{1, 3, 1, 2}, {1, 2.5, 0, 1.5, -1, 0.5});
  check_fit(fit({}, DataType::float32, "layout:nhwc"), Shape{1, 1, 2, 3}, {10, 20, 30, 40, 50, 60});
  CHECK(fit({1, 3, -1, -1}, DataType::float32, "resize:256,crop:224").shape() ==
        Shape{1, 3, 224, 224});
  CHECK(fit({1, 3, -1, -1}, DataType::float32, "resize:10").shape() == Shape{1, 3, 10, 20});
  CHECK(fit({1, 3, -1, -1}, DataType::float32, "resize:7x9").shape() == Shape{1, 3, 9, 7});
  CHECK(fit({-1, -1, -1, -1}, DataType::float32, "layout:nchw,order:gray").shape() ==
        Shape{1, 1, 1, 2});
}

TEST_CASE("inputs that no picture can feed say what they expect") {
  CHECK_THROWS_WITH(fit({1, 3, 1, 2}, DataType::int64),
                    Catch::Contains("expects int64[1 x 3 x 1 x 2]"));
  CHECK_THROWS_WITH(fit({2, 3, 1, 2}), Catch::Contains("a batch of 2"));
  CHECK_THROWS_WITH(fit({1, 4, 8, 8}), Catch::Contains("channels"));
  CHECK_THROWS_WITH(fit({10}), Catch::Contains("dimensions"));
  CHECK_THROWS_WITH(fit({}), Catch::Contains("rank"));
  CHECK_THROWS_WITH(fit({1, 3, 8, 8}, DataType::float32, "resize:7x9"),
                    Catch::Contains("9 rows and 7 columns"));
  CHECK_THROWS_WITH(fit({1, 3, 1, 2}, DataType::uint8, "scale:1/255"), Catch::Contains("uint8"));
  CHECK_THROWS_WITH(fit({1, 1, 1, 2}, DataType::float32, "mean:1/2/3"),
                    Catch::Contains("3 values"));
  CHECK_THROWS_WITH(fit({1, 1, 1, 2}, DataType::float32, "order:rgb"),
                    Catch::Contains("3 channels"));
}

TEST_CASE("presets follow the size of the input, and keys replace what they set") {
  const auto sized = [](std::int64_t width, std::int64_t height, const char* options,
                        std::vector<std::int64_t> dimensions) {
    Image image{.width = width, .height = height, .channels = 3, .pixels = {}};
    image.pixels.assign(static_cast<std::size_t>(width * height * 3), 255);
    return image_to_tensor(image, parse_image_options(options), DataType::float32, dimensions);
  };
  const Tensor imagenet = sized(300, 400, "imagenet", {1, 3, -1, -1});
  CHECK(imagenet.shape() == Shape{1, 3, 224, 224});
  CHECK(element_as_double(imagenet, 0) == Approx((1 - 0.485) / 0.229));
  CHECK(element_as_double(imagenet, 3 * 224 * 224 - 1) == Approx((1 - 0.406) / 0.225));
  CHECK(sized(30, 20, "torchvision", {1, 3, 299, 320}).shape() == Shape{1, 3, 299, 320});
  CHECK(sized(30, 20, "imagenet,layout:nhwc", {1, -1, -1, 3}).shape() == Shape{1, 224, 224, 3});
  CHECK(sized(30, 20, "imagenet,resize:40,crop:32", {1, 3, -1, -1}).shape() == Shape{1, 3, 32, 32});
  CHECK(sized(30, 20, "clip,size:336", {1, 3, -1, -1}).shape() == Shape{1, 3, 336, 336});
  CHECK(element_as_double(sized(2, 2, "keras", {1, 2, 2, 3}), 0) == 1);
  CHECK(element_as_double(sized(2, 2, "keras-caffe", {1, 2, 2, 3}), 0) == Approx(255 - 103.939));
  CHECK(sized(30, 20, "yolo", {1, 3, -1, -1}).shape() == Shape{1, 3, 640, 640});
  CHECK(sized(30, 20, "yolo,resize:64x32", {1, 3, -1, -1}).shape() == Shape{1, 3, 32, 64});
  CHECK_THROWS_WITH(sized(30, 20, "crop_pct:0.9", {1, 3, -1, -1}), Catch::Contains("open"));
}

TEST_CASE("a letterbox has Ultralytics' margins") {
  const Image image{.width = 4,
                    .height = 3,
                    .channels = 1,
                    .pixels = {108, 130, 165, 98, 203, 128, 141, 16, 214, 50, 190, 137}};
  const auto boxed = [&](std::vector<std::int64_t> sizes, const std::vector<double>& wanted) {
    const Tensor found = image_to_tensor(image, parse_image_options("letterbox:114,filter:linear"),
                                         DataType::float32, sizes);
    REQUIRE(found.element_count() == static_cast<std::int64_t>(wanted.size()));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      CHECK(std::abs(element_as_double(found, static_cast<std::int64_t>(i)) - wanted[i]) <= 1);
    }
  };
  boxed({5, 8}, {108, 116, 128, 147, 160, 122, 98,  114, 146, 140, 130, 142, 149, 97,
                 65,  114, 203, 176, 133, 135, 132, 61,  16,  114, 209, 164, 90,  126,
                 164, 118, 88,  114, 214, 155, 62,  120, 186, 156, 137, 114});
  boxed({7, 4}, {114, 114, 114, 114, 114, 114, 114, 114, 108, 130, 165, 98,  203, 128,
                 141, 16,  214, 50,  190, 137, 114, 114, 114, 114, 114, 114, 114, 114});
}

TEST_CASE("options that are none are errors") {
  try {
    parse_image_options("resise:256");
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK_THAT(error.hint(), Catch::Contains("resize"));
  }
  for (const char* text : {"imagnet",
                           "scale:1,imagenet",
                           "imagenet,",
                           "crop_pct:0",
                           "crop_pct:2",
                           "letterbox:256",
                           "letterbox:1.5",
                           "filter:cubic",
                           "size:0",
                           "crop_pct:1,resize:8",
                           "letterbox:0,resize:8",
                           "letterbox:0,crop_pct:1",
                           "",
                           "resize",
                           "resize:0",
                           "resize:1x2x3",
                           "resize:-1",
                           "resize:99999999999",
                           "crop:a",
                           "layout:chw",
                           "order:rbg",
                           "scale:1/0",
                           "scale:x",
                           "mean:1/2",
                           "std:0",
                           "mean:nan",
                           "crop:1,crop:2",
                           "resize:8,"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_image_options(text), Error);
  }
}
