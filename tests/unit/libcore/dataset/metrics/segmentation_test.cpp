// Segmentation: overlap of classes by hand, layouts of class maps, and where images are placed.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/dataset/metrics/class_map.hpp"
#include "libcore/dataset/metrics/class_overlap.hpp"
#include "libcore/dataset/metrics/image_placement.hpp"
#include "libcore/io/image.hpp"

namespace ortool {
namespace {

TEST_CASE("the overlap of classes is common pixels over those of either", "[miou]") {
  ClassOverlap overlap;
  CHECK_FALSE(overlap.mean_iou());
  // Truth 0 0 0 1, predicted 0 0 1 3.
  overlap.add(0, 0);
  overlap.add(0, 0);
  overlap.add(1, 0);
  overlap.add(3, 1);
  CHECK(overlap.counts()[0].iou() == 2.0 / 3);
  CHECK(overlap.counts()[1].iou() == 0);
  CHECK_FALSE(overlap.counts()[2].iou());
  CHECK(overlap.counts()[3].iou() == 0);
  CHECK(*overlap.mean_iou() == Approx(2.0 / 9));
  CHECK(*overlap.pixel_accuracy() == 0.5);
  CHECK(*overlap.mean_accuracy() == Approx(1.0 / 3));
  CHECK(overlap.pixels() == 4);
}

ClassMap map_of(const Tensor& tensor, ImageSize input, bool is_channels_last = false) {
  const std::vector<NamedTensor> outputs = {{"out", &tensor}};
  return class_map_of(outputs, input, is_channels_last);
}

TEST_CASE("class maps come from scores of either layout and from classes", "[miou]") {
  const Tensor first = Tensor::of<float>(Shape{1, 2, 2, 3}, {0, 5, 0, 5, 0, 5, 1, 1, 1, 1, 1, NAN});
  const ClassMap map = map_of(first, {6, 4});
  CHECK(map.size.width == 3);
  CHECK(map.size.height == 2);
  CHECK(map.class_count == 2);
  CHECK(map.classes == std::vector<std::int32_t>{1, 0, 1, 0, 1, 0});
  const Tensor last = Tensor::of<float>(Shape{1, 2, 3, 2}, {0, 1, 5, 1, 0, 1, 5, 1, 0, 1, 5, 1});
  CHECK(map_of(last, {6, 4}).classes == std::vector<std::int32_t>{1, 0, 1, 0, 1, 0});
  // Many classes and a quarter of the size: the aspect ratio tells, then the input's layout.
  const Tensor many(DataType::float32, Shape{1, 150, 128, 128});
  CHECK(map_of(many, {512, 512}, true).class_count == 150);
  const Tensor cube(DataType::float32, Shape{1, 4, 4, 4});
  CHECK(map_of(cube, {4, 4}, true).class_count == 4);
  for (const Shape& shape : {Shape{1, 2, 2}, Shape{1, 1, 2, 2}, Shape{2, 2}, Shape{1, 2, 2, 1}}) {
    const Tensor classes = Tensor::of<std::int64_t>(shape, {0, 3, 2, 1});
    CHECK(map_of(classes, {2, 2}).classes == std::vector<std::int32_t>{0, 3, 2, 1});
    CHECK(map_of(classes, {2, 2}).class_count == 0);
  }
}

TEST_CASE("outputs without a class for each pixel are refused", "[miou]") {
  CHECK_THROWS_WITH(map_of(Tensor(DataType::float32, Shape{1, 1000}), {4, 4}),
                    Catch::Contains("no output has class scores"));
  CHECK_THROWS_WITH(map_of(Tensor(DataType::float32, Shape{1, 1000, 1, 1}), {4, 4}),
                    Catch::Contains("no output has class scores"));
  CHECK_THROWS_WITH(map_of(Tensor::of<float>(Shape{1, 1, 2, 2}, {0, 0.5F, 0, 0}), {2, 2}),
                    Catch::Contains("0.5 is not the number of a class"));
}

/// The samples of a PNG in hexadecimal digits.
std::vector<std::uint8_t> indices_of(std::string_view hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return decode_class_indices(bytes, nullptr).pixels;
}

TEST_CASE("the samples of label images are classes, with a palette and in gray", "[miou]") {
  CHECK(
      indices_of("89504e470d0a1a0a0000000d49484452000000030000000204030000006f5a7b2900000030504c54"
                 "45000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425"
                 "262728292a2b2c2d2e2fad978eef0000000e49444154789c63605460d067000000e90051c91e95"
                 "e80000000049454e44ae426082") == std::vector<std::uint8_t>{0, 1, 2, 2, 15, 0});
  CHECK(indices_of("89504e470d0a1a0a0000000d4948445200000003000000020200000000f2af21670000000c4944"
                   "4154789c639060380000010c00d94e7c30240000000049454e44ae426082") ==
        std::vector<std::uint8_t>{0, 1, 2, 3, 0, 0});
  CHECK_THROWS_WITH(
      indices_of("89504e470d0a1a0a0000000d49484452000000030000000208020000001216f14d0000000b494441"
                 "54789c6360c00400001400017dfe1eee0000000049454e44ae426082"),
      Catch::Contains("is not a PNG of class indices"));
  CHECK_THROWS_WITH(indices_of("ffd8ffe0"), Catch::Contains("is not a PNG of class indices"));
}

TEST_CASE("images are placed by resizing, cropping and letterboxing", "[miou][map]") {
  const ImagePlacement plain = place_image({200, 100}, {100, 100}, nullptr);
  CHECK(plain.scale_x == 0.5);
  CHECK(plain.scale_y == 1);
  const ImageOptions cropped = parse_image_options("resize:256,crop:224");
  const ImagePlacement crop = place_image({512, 300}, {224, 224}, &cropped);
  CHECK(crop.scale_x == Approx(436.0 / 512));
  CHECK(crop.scale_y == Approx(256.0 / 300));
  CHECK(crop.offset_x == -106);
  CHECK(crop.offset_y == -16);
  const ImageOptions exact = parse_image_options("resize:320x240");
  CHECK(place_image({640, 480}, {320, 240}, &exact).scale_x == 0.5);
  const ImageOptions yolo = parse_image_options("yolo");
  const ImagePlacement boxed = place_image({1280, 720}, {640, 640}, &yolo);
  CHECK(boxed.scale_x == 0.5);
  CHECK(boxed.offset_x == 0);
  CHECK(boxed.offset_y == 140);
  const ImageOptions imagenet = parse_image_options("imagenet");
  const ImagePlacement shared = place_image({512, 300}, {224, 224}, &imagenet);
  CHECK(shared.scale_x == crop.scale_x);
  CHECK(shared.offset_x == crop.offset_x);
  const ImagePlacement wide = place_image({400, 400}, {224, 112}, &imagenet);
  CHECK(wide.scale_x == Approx(256.0 / 400));
  CHECK(wide.offset_x == -16);
  CHECK(wide.offset_y == -72);
}

}  // namespace
}  // namespace ortool
