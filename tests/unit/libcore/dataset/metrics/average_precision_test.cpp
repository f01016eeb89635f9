// Average precision by hand, with crowds and ranges of areas.
#include "libcore/dataset/metrics/average_precision.hpp"

#include <vector>

#include <catch2/catch.hpp>

namespace ortool {
namespace {

CocoObject object(Box box, std::int64_t category = 0, bool is_crowd = false) {
  return {box, box.area(), category, is_crowd};
}

TEST_CASE("the overlap of boxes is their common area over that of both", "[map]") {
  CHECK(intersection_over_union({0, 0, 10, 10}, {5, 0, 10, 10}, false) == Approx(50.0 / 150));
  CHECK(intersection_over_union({0, 0, 10, 10}, {5, 0, 10, 10}, true) == Approx(0.5));
  CHECK(intersection_over_union({0, 0, 10, 10}, {10, 0, 10, 10}, false) == 0);
}

TEST_CASE("average precision of one right and one wrong detection", "[map]") {
  AveragePrecision precision(1, nullptr);
  // The wrong one is better: precision 1/2 at every recall. Its IoU of 0.8 holds at 0.5 to 0.8.
  precision.add_image(
      1, std::vector{object({0, 0, 100, 100})},
      std::vector<Detection>{{{0, 0, 100, 80}, 0.5, 0}, {{300, 0, 50, 50}, 0.9, 0}});
  const DetectionScores scores = precision.scores();
  CHECK(*scores.ap50 == Approx(0.5));
  CHECK(*scores.ap75 == Approx(0.5));
  CHECK(*scores.ap == Approx(0.5 * 7 / 10));
  CHECK(*scores.ar1 == 0);
  CHECK(*scores.ar10 == Approx(0.7));
  CHECK(*scores.ap_large == Approx(1.0 * 7 / 10));  // the wrong one is of medium size
  CHECK_FALSE(scores.ap_small);
  CHECK_FALSE(scores.ar_medium);
}

TEST_CASE("half of the objects found gives precision 1 up to recall 0.5", "[map]") {
  AveragePrecision precision(2, nullptr);
  precision.add_image(1, std::vector{object({0, 0, 20, 20}), object({100, 100, 20, 20})},
                      std::vector<Detection>{{{0, 0, 20, 20}, 0.9, 0}});
  precision.add_image(2, std::vector<CocoObject>{}, std::vector<Detection>{});
  const DetectionScores scores = precision.scores();
  CHECK(*scores.ap == Approx(51.0 / 101));
  CHECK(*scores.ap_small == Approx(51.0 / 101));
  CHECK(*scores.ar100 == Approx(0.5));
  REQUIRE(scores.category_ap.size() == 2);
  CHECK(*scores.category_ap[0] == Approx(51.0 / 101));
  CHECK_FALSE(scores.category_ap[1]);
  CHECK(scores.category_objects[0] == 2);
}

TEST_CASE("a second detection of an object is wrong, of a crowd ignored", "[map]") {
  const std::vector<Detection> twice = {{{0, 0, 50, 50}, 0.9, 0}, {{0, 0, 50, 50}, 0.8, 0}};
  AveragePrecision single(1, nullptr);
  single.add_image(1, std::vector{object({0, 0, 50, 50}), object({200, 0, 50, 50})}, twice);
  single.add_image(2, std::vector<CocoObject>{}, twice);
  // Four detections, one right: the best is that of image 1, since its id is lower.
  CHECK(*single.scores().ap50 == Approx(51.0 / 101));
  AveragePrecision crowd(1, nullptr);
  crowd.add_image(1, std::vector{object({0, 0, 50, 50}, 0, true), object({200, 0, 50, 50})}, twice);
  const DetectionScores scores = crowd.scores();
  CHECK(*scores.ap == 0);
  CHECK(scores.category_objects[0] == 1);
  AveragePrecision empty(1, nullptr);
  CHECK_FALSE(empty.scores().ap);
}

}  // namespace
}  // namespace ortool
