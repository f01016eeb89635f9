// Parser for detection options.
#include "libcore/dataset/metrics/detection_options.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/parse_number.hpp"

namespace ortool {
namespace {

constexpr std::array<std::pair<DetectionLayout, std::string_view>, 7> layout_names = {
    {{DetectionLayout::yolov5, "yolov5"},
     {DetectionLayout::yolov8, "yolov8"},
     {DetectionLayout::end_to_end, "end2end"},
     {DetectionLayout::box_scores, "boxes-scores"},
     {DetectionLayout::torchvision, "torchvision"},
     {DetectionLayout::tensorflow, "tensorflow"},
     {DetectionLayout::detr, "detr"}}};

constexpr std::array<std::string_view, 6> detection_keys = {"score", "iou",    "max",
                                                            "boxes", "logits", "classes"};

Error wrong_option(std::string what, std::string hint) {
  Error error(ErrorCode::invalid, format("option {}: {}", setting_name("detections"), what),
              std::move(hint));
  error.with_id("usage.value");
  return error;
}

double read_share(std::string_view key, std::string_view text) {
  double value = 0;
  if (read_number(text, value) && value >= 0 && value <= 1) return value;
  throw wrong_option(format("{} cannot be {}", key, quote(text)), "give a number from 0 to 1");
}

std::int64_t read_whole(std::string_view key, std::string_view text, std::int64_t least,
                        std::string_view hint) {
  constexpr std::int64_t most = 1'000'000;
  std::int64_t value = 0;
  if (read_integer(text, value) && value >= least && value <= most) return value;
  throw wrong_option(format("{} cannot be {}", key, quote(text)), std::string(hint));
}

/// Whether `text` is the first of two words.
bool read_choice(std::string_view key, std::string_view text, std::string_view yes,
                 std::string_view no) {
  if (text == yes) return true;
  if (text == no) return false;
  throw wrong_option(format("{} cannot be {}", key, quote(text)), format("give {} or {}", yes, no));
}

void set_detection_option(DetectionOptions& options, std::string_view key, std::string_view value) {
  if (key == "score") {
    options.min_score = read_share(key, value);
  } else if (key == "iou") {
    options.max_iou = read_share(key, value);
  } else if (key == "max") {
    options.max_count = read_whole(key, value, 1, "give a number of detections per image");
  } else if (key == "boxes") {
    options.are_normalized = read_choice(key, value, "normalized", "pixels");
  } else if (key == "logits") {
    options.has_softmax = read_choice(key, value, "softmax", "sigmoid");
  } else if (key == "classes" && value == "ids") {
    options.classes = ClassNumbers::ids;
  } else if (key == "classes") {
    options.classes = ClassNumbers::order;
    options.first_class = read_whole(
        key, value, -1'000'000,
        "give ids, or the class number of the first category, such as 0, in the order of ids");
  } else {
    const std::string nearest = nearest_name(key, detection_keys);
    throw wrong_option(format("unknown key {}", quote(key)),
                       nearest.empty() ? "there are " + list_names(detection_keys)
                                       : format("did you mean {}?", nearest));
  }
}

DetectionLayout read_layout(std::string_view text) {
  for (const auto& [layout, name] : layout_names) {
    if (text == name) return layout;
  }
  const std::vector<std::string_view> names = detection_layout_names();
  const std::string nearest = nearest_name(text, names);
  throw wrong_option(format("unknown layout {}", quote(text)),
                     (nearest.empty() ? std::string() : format("did you mean {}? ", nearest)) +
                         "there are " + list_names(names));
}

}  // namespace

std::string_view name_of(DetectionLayout layout) {
  for (const auto& [each, name] : layout_names) {
    if (each == layout) return name;
  }
  return "automatic";
}

std::vector<std::string_view> detection_layout_names() {
  std::vector<std::string_view> names;
  for (const auto& [layout, name] : layout_names) names.push_back(name);
  return names;
}

DetectionOptions parse_detection_options(std::string_view text) {
  DetectionOptions options;
  std::vector<std::string> given;
  const std::vector<std::string> parts = split(text, ',');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos && i == 0) {
      options.layout = read_layout(part);
      continue;
    }
    if (colon == std::string::npos)
      throw wrong_option(format("{} has no value", quote(part)),
                         "write it as yolov8,score:0.001,iou:0.7");
    const std::string key = part.substr(0, colon);
    if (std::find(given.begin(), given.end(), key) != given.end())
      throw wrong_option(format("{} is given twice", quote(key)), "leave one of them out");
    set_detection_option(options, key, part.substr(colon + 1));
    given.push_back(key);
  }
  if (parts.empty()) throw wrong_option("it is empty", "give a layout such as yolov8");
  return options;
}

}  // namespace ortool
