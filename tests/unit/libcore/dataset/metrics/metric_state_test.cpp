// States of metrics: those of parts join into the result over all samples.
#include "libcore/dataset/metrics/metric_state.hpp"

#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/dataset/metrics/detection_state.hpp"
#include "libcore/dataset/metrics/output_metric.hpp"
#include "libcore/dataset/metrics/pixel_state.hpp"

namespace ortool {
namespace {

struct Told {
  std::vector<std::string> texts;
  MemoryCap memory;
  StopToken stop;
  TaskContext task() {
    TaskContext context{memory, stop};
    context.on_warning = [this](std::string_view text) { texts.emplace_back(text); };
    context.on_note = context.on_warning;
    return context;
  }
};

Json written(const Json& state) {
  return parse_json(state.write_compact(), "state");
}

std::string text_of(const MetricResult& result) {
  std::string text = std::to_string(result.value) + " " + std::to_string(result.samples);
  for (const auto& [name, value] : result.numbers)
    text += " " + name + "=" + (value ? Json(*value).write() : "none");
  for (const auto& [name, count] : result.counts) text += " " + name + "=" + std::to_string(count);
  for (const ClassScore& each : result.classes)
    text += " " + each.name + ":" + (each.value ? Json(*each.value).write() : "none") + "," +
            std::to_string(each.count);
  return text;
}

DetectionState state_of(std::int64_t first, std::int64_t end) {
  DetectionState state({"cat", "dog", "none"}, 30, nullptr);
  for (std::int64_t image = first; image < end; ++image) {
    std::mt19937 random(static_cast<std::uint32_t>(image));
    const auto number = [&random](double most) {
      return static_cast<double>(random() % 1000) / 1000 * most;
    };
    std::vector<CocoObject> objects;
    std::vector<Detection> found;
    for (int i = 0; i < 5; ++i) {
      const Box box{number(100), number(100), 10 + number(150), 10 + number(150)};
      objects.push_back({box, box.area(), static_cast<std::int64_t>(random() % 2), i == 4});
      found.push_back({{box.x + number(20), box.y, box.width, box.height},
                       number(1),
                       static_cast<std::int64_t>(random() % 2)});
      state.see_detection(box.x + box.width);
    }
    if (image == 7) state.see_unknown(91);
    CHECK(state.see_image(image));
    state.read_as({"yolov8", 0.25, 0.45, false});
    state.precision().add_image(image, objects, found);
  }
  return state;
}

TEST_CASE("Detections of parts give the average precision of all", "[map]") {
  Told told;
  const MetricResult whole = state_of(0, 20).result();
  CHECK(whole.value > 0.1);
  std::vector<Json> states;
  for (const auto& [first, end] :
       {std::pair(0, 3), std::pair(3, 3), std::pair(3, 12), std::pair(12, 20)})
    states.push_back(written(state_of(first, end).state()));
  const MetricResult joined = join_metric_states(Metric::map, states, told.task());
  CHECK(text_of(joined) == text_of(whole));
  CHECK(joined.layout == "yolov8");
  REQUIRE(told.texts.size() == 2);
  CHECK(told.texts[0].find(
            "1 of 100 detections have a class number without a category (first: 91)") == 0);
  CHECK(told.texts[1] == "10 of 30 annotated images are not in the data and do not count");
}

TEST_CASE("Parts with the same image, or other outputs, do not join", "[map]") {
  Told told;
  std::vector<Json> twice = {written(state_of(0, 3).state()), written(state_of(2, 4).state())};
  CHECK_THROWS_WITH(join_metric_states(Metric::map, twice, told.task()),
                    Catch::Contains("two samples have the annotations of image 2"));
  DetectionState other = state_of(3, 5);
  other.read_as({"detr", 0.25, 0.45, false});
  std::vector<Json> mixed = {written(state_of(0, 3).state()), written(other.state())};
  CHECK_THROWS_WITH(
      join_metric_states(Metric::map, mixed, told.task()),
      Catch::Contains("outputs are read as yolov8 in one shard and as detr in another"));
}

TEST_CASE("Pixels of parts give the overlap of all", "[miou]") {
  Told told;
  const auto count_pixels = [](std::int64_t first, std::int64_t end) {
    PixelState state;
    for (std::int64_t i = first; i < end; ++i) {
      state.overlap.add(i % 5, i % 3);
      ++state.samples;
      state.ignored_pixels += i;
    }
    return state;
  };
  std::vector<Json> states;
  for (const auto& [first, end] : {std::pair(0, 4), std::pair(4, 4), std::pair(4, 40)})
    states.push_back(written(count_pixels(first, end).state()));
  CHECK(text_of(join_metric_states(Metric::miou, states, told.task())) ==
        text_of(count_pixels(0, 40).result()));
}

TEST_CASE("States that are not as they were written are rejected", "[map]") {
  Told told;
  for (const char* text :
       {"{}", "[]", R"({"categories": [1], "annotated": 1})",
        R"({"samples": 1, "ignored_pixels": 0, "cropped_pixels": 0, "classes": [1, 2]})"}) {
    CAPTURE(text);
    const std::vector<Json> states = {parse_json(text, "state")};
    CHECK_THROWS_AS(join_metric_states(Metric::map, states, told.task()), Error);
    CHECK_THROWS_AS(join_metric_states(Metric::miou, states, told.task()), Error);
  }
}

}  // namespace
}  // namespace ortool
