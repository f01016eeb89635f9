// Detection decoder: one box and class through every layout, and how layouts are recognized.
#include "libcore/dataset/metrics/detection_decoder.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/dataset/metrics/suppress.hpp"

namespace ortool {
namespace {

constexpr ImageSize input_size = {200, 100};

std::vector<Detection> decode(std::vector<NamedTensor> outputs, std::int64_t categories,
                              const DetectionOptions& options, DetectionOptions* used = nullptr) {
  DetectionDecoder decoder(options, {categories, categories});
  const std::vector<Detection> found = decoder.decode(outputs, input_size);
  if (used != nullptr) *used = decoder.options();
  return found;
}

void check_one(const std::vector<Detection>& found, double score, std::int64_t category) {
  REQUIRE(found.size() == 1);
  CHECK(found[0].box.x == Approx(10));
  CHECK(found[0].box.y == Approx(20));
  CHECK(found[0].box.width == Approx(40));
  CHECK(found[0].box.height == Approx(30));
  CHECK(found[0].score == Approx(score));
  CHECK(found[0].category == category);
}

/// A tensor [1,rows,columns] that is zero but for its first row.
Tensor table(std::int64_t rows, std::int64_t columns, const std::vector<float>& first) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns));
  std::copy(first.begin(), first.end(), values.begin());
  return Tensor::of<float>(Shape{1, rows, columns}, std::span<const float>(values));
}

Tensor transposed(const Tensor& tensor) {
  const std::int64_t rows = tensor.shape()[1];
  const std::int64_t columns = tensor.shape()[2];
  std::vector<float> values;
  for (std::int64_t k = 0; k < columns; ++k) {
    for (std::int64_t i = 0; i < rows; ++i)
      values.push_back(tensor.data<float>()[static_cast<std::size_t>(i * columns + k)]);
  }
  return Tensor::of<float>(Shape{1, columns, rows}, std::span<const float>(values));
}

TEST_CASE("YOLO's boxes are centers and sizes, with and without objectness", "[map]") {
  DetectionOptions used;
  const Tensor v5 = table(50, 8, {30, 35, 40, 30, 0.5F, 0, 0.8F, 0});
  check_one(decode({{"output0", &v5}}, 3, {}, &used), 0.4, 1);
  CHECK(used.layout == DetectionLayout::yolov5);
  CHECK(*used.max_iou == 0.6);
  CHECK(*used.min_score == 0.001);
  const Tensor rows = table(50, 7, {30, 35, 40, 30, 0, 0, 0.8F});
  const Tensor v8 = transposed(rows);
  for (const Tensor* each : {&v8, &rows}) {
    check_one(decode({{"output0", each}}, 3, {}, &used), 0.8F, 2);
    CHECK(used.layout == DetectionLayout::yolov8);
    CHECK(*used.max_iou == 0.7);
  }
}

TEST_CASE("the coefficients of masks are no classes", "[map]") {
  const Tensor v8 = transposed(table(60, 4 + 3 + 32, {30, 35, 40, 30, 0, 0.8F, 0, 9, 9, 9}));
  const Tensor masks(DataType::float32, Shape{1, 32, 4, 4});
  check_one(decode({{"output0", &v8}, {"output1", &masks}}, 3, {}), 0.8F, 1);
}

TEST_CASE("end-to-end outputs and those of torchvision have corners", "[map]") {
  DetectionOptions used;
  const Tensor rows = table(30, 6, {10, 20, 50, 50, 0.75F, 2});
  check_one(decode({{"output0", &rows}}, 80, {}, &used), 0.75, 2);
  CHECK(used.layout == DetectionLayout::end_to_end);
  const Tensor boxes = Tensor::of<float>(Shape{1, 4}, {10, 20, 50, 50});
  const Tensor scores = Tensor::of<float>(Shape{1}, {0.75F});
  const Tensor labels = Tensor::of<std::int64_t>(Shape{1}, {17});
  check_one(decode({{"3211", &labels}, {"3216", &boxes}, {"3298", &scores}}, 80, {}, &used), 0.75,
            17);
  CHECK(used.layout == DetectionLayout::torchvision);
  CHECK(used.classes == ClassNumbers::ids);
  const Tensor share = Tensor::of<float>(Shape{1, 4}, {0.05F, 0.2F, 0.25F, 0.5F});
  DetectionOptions normalized;
  normalized.are_normalized = true;
  check_one(decode({{"boxes", &share}, {"labels", &labels}, {"scores", &scores}}, 80, normalized),
            0.75, 17);
}

TEST_CASE("a detector of one category needs no labels", "[map]") {
  const Tensor boxes = Tensor::of<float>(Shape{1, 4}, {10, 20, 50, 50});
  const Tensor scores = Tensor::of<float>(Shape{1}, {0.75F});
  DetectionOptions used;
  // decode() has ids from 1 on, and the class of the only category is its id.
  check_one(decode({{"face_boxes", &boxes}, {"face_scores", &scores}}, 1, {}, &used), 0.75, 1);
  CHECK(used.layout == DetectionLayout::torchvision);
  CHECK_THROWS_AS(decode({{"face_boxes", &boxes}, {"face_scores", &scores}}, 2, {}), Error);
  DetectionOptions numbered;
  numbered.classes = ClassNumbers::order;
  numbered.first_class = 3;
  check_one(decode({{"face_boxes", &boxes}, {"face_scores", &scores}}, 1, numbered), 0.75, 3);
}

TEST_CASE("a class more than categories is the background of an SSD", "[map]") {
  const Tensor boxes = Tensor::of<float>(Shape{1, 1, 4}, {10, 20, 50, 50});
  const Tensor scores = Tensor::of<float>(Shape{1, 1, 3}, {0.9F, 0, 0.75F});
  DetectionOptions used;
  check_one(decode({{"boxes", &boxes}, {"scores", &scores}}, 2, {}, &used), 0.75, 2);
  CHECK(used.first_class == 1);
  DetectionOptions ids;
  ids.classes = ClassNumbers::ids;
  CHECK(decode({{"boxes", &boxes}, {"scores", &scores}}, 2, ids).size() == 2);
}

TEST_CASE("TensorFlow's boxes begin with y, and are as many as num_detections says", "[map]") {
  const Tensor boxes =
      Tensor::of<float>(Shape{1, 2, 4}, {0.2F, 0.05F, 0.5F, 0.25F, 0.1F, 0.1F, 0.9F, 0.9F});
  const Tensor scores = Tensor::of<float>(Shape{1, 2}, {0.75F, 0.5F});
  const Tensor classes = Tensor::of<float>(Shape{1, 2}, {3, 1});
  const Tensor count = Tensor::of<float>(Shape{1}, {1});
  check_one(decode({{"num_detections", &count},
                    {"detection_classes", &classes},
                    {"detection_boxes", &boxes},
                    {"detection_scores", &scores}},
                   80, {}),
            0.75, 3);
}

TEST_CASE("DETR's last class is no object, and with a sigmoid every class counts", "[map]") {
  const Tensor boxes = Tensor::of<float>(Shape{1, 1, 4}, {0.15F, 0.35F, 0.2F, 0.3F});
  const Tensor four = Tensor::of<float>(Shape{1, 1, 4}, {0, 1, 0, 1.5F});
  DetectionOptions used;
  const double sum = 2 + std::exp(1.0) + std::exp(1.5);
  check_one(decode({{"logits", &four}, {"pred_boxes", &boxes}}, 3, {}, &used), std::exp(1.0) / sum,
            1);
  CHECK(*used.has_softmax);
  const Tensor three = Tensor::of<float>(Shape{1, 1, 3}, {-90, 1, -90});
  DetectionOptions positive;
  positive.min_score = 0.1;
  check_one(decode({{"logits", &three}, {"pred_boxes", &boxes}}, 3, positive, &used),
            1 / (1 + std::exp(-1.0)), 1);
  CHECK_FALSE(*used.has_softmax);
  CHECK(used.classes == ClassNumbers::order);
}

TEST_CASE("boxes beside class scores are suppressed class by class", "[map]") {
  const Tensor boxes =
      Tensor::of<float>(Shape{1, 3, 4}, {10, 20, 50, 50, 11, 20, 50, 50, 10, 20, 50, 50});
  const Tensor scores = Tensor::of<float>(Shape{1, 3, 2}, {0.5F, 0, 0.9F, 0, 0, 0.4F});
  const auto found = decode({{"boxes", &boxes}, {"scores", &scores}}, 2, {});
  REQUIRE(found.size() == 2);
  CHECK(found[0].score == Approx(0.9F));
  CHECK(found[1].category == 1);
  CHECK(suppress_overlaps(found, 0.5, 1).size() == 1);
}

TEST_CASE("outputs of another shape are refused with what they are", "[map]") {
  const Tensor scores(DataType::float32, Shape{1, 1000, 1, 1});
  CHECK_THROWS_WITH(decode({{"scores", &scores}}, 80, {}),
                    Catch::Contains("none of the layouts of detectors") &&
                        Catch::Contains("scores float32[1x1000x1x1]"));
  DetectionOptions detr;
  detr.layout = DetectionLayout::detr;
  const Tensor rows = table(30, 6, {});
  CHECK_THROWS_WITH(decode({{"output0", &rows}}, 80, detr), Catch::Contains("the layout detr"));
}

TEST_CASE("detection options are a layout and keys", "[map]") {
  const DetectionOptions options =
      parse_detection_options("yolov8,score:0.25,iou:0.5,max:100,boxes:normalized,classes:1");
  CHECK(options.layout == DetectionLayout::yolov8);
  CHECK(options.min_score == 0.25);
  CHECK(options.max_iou == 0.5);
  CHECK(options.max_count == 100);
  CHECK(options.are_normalized == true);
  CHECK(options.classes == ClassNumbers::order);
  CHECK(options.first_class == 1);
  CHECK(parse_detection_options("classes:ids").classes == ClassNumbers::ids);
  for (const char* wrong : {"", "yolo9", "score:2", "score", "iou:x", "boxes:maybe", "max:0",
                            "classes:all", "score:0.1,score:0.2", "scor:0.1", "detr,"}) {
    CHECK_THROWS_AS(parse_detection_options(wrong), Error);
  }
}

}  // namespace
}  // namespace ortool
