// Metric options.
#include "apps/ortool/options/metric_options.hpp"

#include "apps/ortool/options/option_conflicts.hpp"

namespace ortool {

OptionSpec detections_option() {
  return {.name = "detections",
          .value = "LAYOUT",
          .help =
              "outputs of a detector for --metric map (default: by names and shapes): yolov8, "
              "yolov5,score:0.001,iou:0.6, ...",
          .suggestions = detection_layout_names()};
}

MetricOptions read_metric_options(const OptionValues& options) {
  MetricOptions result;
  result.metric = metric_named(options.text("metric"));
  if (options.has("detections"))
    result.detections = parse_detection_options(options.text("detections"));
  if (compares_outputs(result.metric)) result.labels = options.text("labels");
  return result;
}

void check_metric_options(const OptionValues& options) {
  if (!options.has("detections")) return;
  static_cast<void>(read_metric_options(options));
  if (options.text("metric") == "map") return;
  throw no_effect("detections", "without --metric map", "add --metric map");
}

}  // namespace ortool
