// Report of mAP and mIoU.
#include "apps/ortool/report/metric_report.hpp"

#include <algorithm>

#include "apps/ortool/report/text_table.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

std::optional<double> number_of(const MetricResult& result, std::string_view key) {
  for (const auto& [name, value] : result.numbers) {
    if (name == key) return value;
  }
  return std::nullopt;
}

/// "AP50 56.82 %"; "-" where no object counts.
std::string part_text(const MetricResult& result, std::string_view title, std::string_view key) {
  const auto value = number_of(result, key);
  return format("{} {}", title, value ? fixed_number(*value * 100, 2) + " %" : "-");
}

std::string detection_text(const MetricResult& result) {
  const auto part = [&](std::string_view title, std::string_view key) {
    return part_text(result, title, key);
  };
  std::string text =
      format("  {}, {}; {}, {}, {}\n", part("AP50", "ap50"), part("AP75", "ap75"),
             part("small", "ap_small"), part("medium", "ap_medium"), part("large", "ap_large"));
  text += format("  {}, {}, {}; {}, {}, {}\n", part("AR1", "ar1"), part("AR10", "ar10"),
                 part("AR100", "ar100"), part("small", "ar_small"), part("medium", "ar_medium"),
                 part("large", "ar_large"));
  text += format("  outputs as {}, scores above {}", result.layout,
                 number_of(result, "score_threshold").value_or(0));
  if (const auto overlap = number_of(result, "iou_threshold"))
    text += format(", non-maximum suppression at an IoU of {}", *overlap);
  return text;
}

Json classes_block(Metric metric, const MetricResult& result) {
  const bool is_map = metric == Metric::map;
  Json list = Json::list();
  for (const ClassScore& each : result.classes) {
    list.add(Json::object()
                 .set("name", each.name)
                 .set(is_map ? "ap" : "iou", each.value ? Json(*each.value) : Json())
                 .set(is_map ? "objects" : "pixels", each.count));
  }
  return list;
}

}  // namespace

std::string metric_text(Metric metric, const MetricResult& result) {
  std::string text = format("{}: {} % over {} images", name_of(metric),
                            fixed_number(result.value * 100, 2), result.samples);
  if (metric == Metric::map) return text + "\n" + detection_text(result);
  const auto classes = std::count_if(result.classes.begin(), result.classes.end(),
                                     [](const ClassScore& each) { return each.value.has_value(); });
  return text + format(" and {} classes ({}, {})", classes,
                       part_text(result, "pixel accuracy", "pixel_accuracy"),
                       part_text(result, "mean class accuracy", "mean_accuracy"));
}

void add_metric(Metric metric, const std::optional<MetricResult>& result, Json& block) {
  block.set("metric", name_of(metric))
      .set("value", result ? Json(result->value) : Json())
      .set("ci", Json());
  if (!result) return;
  Json details = Json::object();
  if (!result->layout.empty()) details.set("layout", result->layout);
  for (const auto& [key, value] : result->numbers) details.set(key, value ? Json(*value) : Json());
  for (const auto& [key, count] : result->counts) details.set(key, count);
  details.set(metric == Metric::map ? "categories" : "classes", classes_block(metric, *result));
  block.set(metric == Metric::map ? "detection" : "segmentation", std::move(details));
}

}  // namespace ortool
