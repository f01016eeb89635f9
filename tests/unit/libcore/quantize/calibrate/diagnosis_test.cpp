// Diagnosis of synthetic data with known faults.
#include "libcore/quantize/calibrate/diagnosis.hpp"

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

Calibration of_samples(std::int64_t count, float (*value)(std::int64_t sample)) {
  CalibrationSettings settings;
  settings.values = {{"v", 0}};
  Calibration state(settings);
  for (std::int64_t i = 0; i < count; ++i) {
    state.find("v")->add(Tensor::of<float>({3}, {0, value(i), 5}), i);
    state.finish_sample(i);
  }
  return state;
}

Diagnosis diagnosis_of(const Calibration& state) {
  ChosenRanges ranges;
  ranges["v"] = choose_range(*state.find("v"), {}, {CalibrationMethod::minmax});
  return diagnose(state, ranges);
}

}  // namespace

TEST_CASE("Ranges settle after the samples that brought them") {
  const Diagnosis early =
      diagnosis_of(of_samples(100, [](std::int64_t i) { return i == 10 ? 20.0F : 1.0F; }));
  REQUIRE(early.converged_after_samples.has_value());
  CHECK(*early.converged_after_samples == 11);
  const Diagnosis late =
      diagnosis_of(of_samples(100, [](std::int64_t i) { return i == 95 ? 20.0F : 1.0F; }));
  CHECK_FALSE(late.converged_after_samples.has_value());
  CHECK(late.unconverged_values == std::vector<std::string>{"v"});
}

TEST_CASE("A sample far beyond the others is named, ordinary ones are not") {
  const Diagnosis diagnosis = diagnosis_of(of_samples(
      100, [](std::int64_t i) { return i == 42 ? 500.0F : 10.0F + static_cast<float>(i % 7); }));
  REQUIRE(diagnosis.outliers.size() == 1);
  CHECK(diagnosis.outliers[0].sample == 42);
  CHECK(diagnosis.outliers[0].worst_value == "v");
  CHECK(diagnosis.outliers[0].factor == Approx(500.0 / 16));
  CHECK(diagnosis_of(of_samples(100, [](std::int64_t i) {
          return 10.0F + static_cast<float>(i);
        })).outliers.empty());
}

TEST_CASE("Channels that never change are found") {
  const Diagnosis diagnosis =
      diagnosis_of(of_samples(10, [](std::int64_t i) { return static_cast<float>(i); }));
  REQUIRE(diagnosis.constant_channels.size() == 1);
  CHECK(diagnosis.constant_channels[0].channels == std::vector<std::int64_t>{0, 2});
  CHECK(diagnosis.constant_channels[0].channel_count == 3);
}

TEST_CASE("What a range cuts off is counted") {
  CalibrationSettings settings;
  settings.values = {{"v", std::nullopt}};
  Calibration state(settings);
  Tensor tensor = random_tensor({10000}, 1);
  tensor.mutable_data<float>()[7] = 1000;
  state.find("v")->add(tensor, 0);
  state.finish_sample(0);
  ChosenRanges ranges;
  ranges["v"] = choose_range(*state.find("v"), {}, {CalibrationMethod::percentile, 99.9});
  const Diagnosis diagnosis = diagnose(state, ranges);
  CHECK(diagnosis.clipped_ratio >= 0.0001);
  CHECK(diagnosis.clipped_ratio <= 0.001);
  CHECK(diagnosis.max_clipped_value == "v");
}
