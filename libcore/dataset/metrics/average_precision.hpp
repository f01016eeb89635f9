// Average precision and recall of detections, as COCO's evaluation (COCOeval) defines them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/dataset/metrics/coco_annotations.hpp"
#include "libcore/dataset/metrics/detection.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// The twelve numbers of COCO's summary; empty where no object counts. AP is the mean over IoU
/// thresholds from 0.50 to 0.95 in steps of 0.05, over categories, and over 101 recalls.
struct DetectionScores {
  std::optional<double> ap;
  std::optional<double> ap50;
  std::optional<double> ap75;
  std::optional<double> ap_small;  ///< objects of up to 32 x 32 pixels
  std::optional<double> ap_medium;
  std::optional<double> ap_large;  ///< from 96 x 96 pixels
  std::optional<double> ar1;       ///< recall with one detection per image and category
  std::optional<double> ar10;
  std::optional<double> ar100;
  std::optional<double> ar_small;
  std::optional<double> ar_medium;
  std::optional<double> ar_large;
  /// AP by category, and the number of objects that count.
  std::vector<std::optional<double>> category_ap;
  std::vector<std::int64_t> category_objects;
};

/// Takes the detections of one image after another; keeps 40 bytes of each that counts (at most
/// 100 per image and category).
class AveragePrecision {
 public:
  /// `cap` may be null and must outlive this object.
  AveragePrecision(std::int64_t categories, MemoryCap* cap);
  ~AveragePrecision();
  AveragePrecision(AveragePrecision&& other) noexcept
      : cap_(std::exchange(other.cap_, nullptr)),
        taken_bytes_(other.taken_bytes_),
        categories_(std::move(other.categories_)) {}
  AveragePrecision& operator=(AveragePrecision&&) = delete;

  /// The categories of both are indexes. `image` orders detections of equal scores, as COCOeval
  /// orders images by id.
  void add_image(std::int64_t image, std::span<const CocoObject> objects,
                 std::span<const Detection> detections);
  DetectionScores scores() const;

  /// All that is kept, by category, for add().
  Json state() const;
  /// Adds what another one kept, of other images. Throws ErrorCode::invalid for a state of other
  /// categories, or that is not as it was written.
  void add(const Json::List& state);

  static constexpr std::size_t max_detections = 100;
  static constexpr std::size_t area_count = 4;
  static constexpr std::size_t threshold_count = 10;

 private:
  /// A detection: by area range, a bit per IoU threshold.
  struct Match {
    double score;
    std::int64_t image;
    std::uint16_t rank;  ///< within its image and category
    std::array<std::uint16_t, area_count> matched;
    std::array<std::uint16_t, area_count> ignored;
  };
  struct Category {
    std::vector<Match> matches;
    std::array<std::int64_t, area_count> objects = {};  ///< that are not ignored
  };
  struct Curve;

  void add_category(Category& category, std::int64_t image,
                    std::span<const CocoObject* const> objects,
                    std::span<const Detection* const> detections);
  static Curve curve_of(const Category& category, std::span<const Match> sorted, std::size_t area,
                        std::size_t most);

  MemoryCap* cap_;
  std::int64_t taken_bytes_ = 0;
  std::vector<Category> categories_;
};

}  // namespace ortool
