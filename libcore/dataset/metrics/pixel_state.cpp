// Pixel state: whole numbers, whose sums depend on no order.
#include "libcore/dataset/metrics/pixel_state.hpp"

namespace ortool {

MetricResult PixelState::result() const {
  MetricResult result;
  result.value = overlap.mean_iou().value_or(0);
  result.samples = samples;
  result.numbers = {{"miou", overlap.mean_iou()},
                    {"pixel_accuracy", overlap.pixel_accuracy()},
                    {"mean_accuracy", overlap.mean_accuracy()}};
  result.counts = {{"pixels", overlap.pixels()},
                   {"ignored_pixels", ignored_pixels},
                   {"cropped_pixels", cropped_pixels}};
  for (std::size_t i = 0; i < overlap.counts().size(); ++i) {
    const ClassOverlap::Counts& counts = overlap.counts()[i];
    result.classes.push_back({std::to_string(i), counts.iou(), counts.truth});
  }
  return result;
}

Json PixelState::state() const {
  Json classes = Json::list();
  for (const ClassOverlap::Counts& counts : overlap.counts())
    classes.add(counts.truth).add(counts.predicted).add(counts.common);
  return Json::object()
      .set("samples", samples)
      .set("ignored_pixels", ignored_pixels)
      .set("cropped_pixels", cropped_pixels)
      .set("classes", std::move(classes));
}

void PixelState::add(const MetricState& state) {
  const std::vector<std::int64_t> classes = state.integers("classes");
  if (classes.size() % 3 != 0 || classes.size() / 3 > ClassOverlap::max_classes)
    MetricState::refuse("classes");
  for (std::size_t i = 0; i < classes.size(); i += 3)
    overlap.add_counts(static_cast<std::int64_t>(i / 3),
                       {classes[i], classes[i + 1], classes[i + 2]});
  samples += state.integer("samples");
  ignored_pixels += state.integer("ignored_pixels");
  cropped_pixels += state.integer("cropped_pixels");
}

}  // namespace ortool
