// Checks of input data: correct data, and data with planted mistakes, by each kind of evidence.
#include "libcore/quantize/calibrate/judge_inputs.hpp"

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

using Catch::Contains;

/// Scale and shift applied to uniform numbers in [-1, 1).
struct Change {
  float scale = 1;
  float shift = 0;
};

/// Records `count` samples of `input` and `output`, each [2, 6, 5, 5] and changed as given.
Calibration of_samples(std::int64_t count, Change input, Change output = {}) {
  CalibrationSettings settings;
  settings.values = {{"input", std::nullopt}, {"output", 1}};
  Calibration state(settings);
  for (std::int64_t i = 0; i < count; ++i) {
    for (const auto& [name, change] : {std::pair("input", input), std::pair("output", output)}) {
      Tensor tensor = random_tensor({2, 6, 5, 5}, static_cast<unsigned>(i));
      for (float& each : tensor.mutable_data<float>()) each = each * change.scale + change.shift;
      state.find(name)->add(tensor, i);
    }
    state.finish_sample(i);
  }
  return state;
}

InputEvidence with_range(double low, double high, bool is_strict) {
  InputEvidence evidence;
  evidence.model_evidence.ranges = {{"input", {low, high}, "the file says that it", is_strict}};
  return evidence;
}

InputEvidence with_pictures(double low, double high) {
  InputEvidence evidence;
  evidence.pictures = {{"input", {low, high}, "own data reach"}};
  return evidence;
}

/// Evidence of a normalization trained on mean 0.2 and the deviation of [-1, 1).
InputEvidence with_norm() {
  InputEvidence evidence;
  evidence.model_evidence.norms = {{"input",
                                    "bn",
                                    "output",
                                    std::vector<double>(6, 0.2),
                                    {0.577, 0.577, 0.577, 1e-9, 0.577, 0.577}}};
  return evidence;
}

constexpr Change byte_ends{127.5F, 127.5F};
constexpr Change shares{0.5F, 0.5F};
constexpr Change normalized{2.3F, 0.2F};

TEST_CASE("pixels of another range than the model states are told") {
  CHECK_FALSE(judge_inputs(of_samples(3, byte_ends), with_range(0, 255, true)));
  CHECK_FALSE(judge_inputs(of_samples(3, shares), with_range(0, 1, true)));
  const auto large = judge_inputs(of_samples(3, byte_ends), with_range(0, 1, true));
  REQUIRE(large);
  CHECK_THAT(*large, Contains("0-255 instead of 0-1") && Contains("input 'input'") &&
                         Contains("the file says that it lies between 0 and 1"));
  const auto small = judge_inputs(of_samples(3, shares), with_range(0, 255, true));
  REQUIRE(small);
  CHECK_THAT(*small, Contains("0-1 instead of 0-255"));
  REQUIRE(judge_inputs(of_samples(3, normalized), with_range(0, 1, true)));
  CHECK_FALSE(judge_inputs(of_samples(3, normalized), with_range(0, 1, false)));
}

TEST_CASE("pictures unlike known ones are told, brighter and darker ones are not") {
  CHECK_FALSE(judge_inputs(of_samples(3, byte_ends), with_pictures(10, 180)));
  CHECK_FALSE(judge_inputs(of_samples(3, normalized), with_pictures(-1.9, 2.1)));
  CHECK_FALSE(judge_inputs(of_samples(3, {0.2F, 0.3F}), with_pictures(0, 1)));
  CHECK_THAT(*judge_inputs(of_samples(3, byte_ends), with_pictures(-2.1, 2.6)),
             Contains("too large"));
  CHECK_THAT(*judge_inputs(of_samples(3, shares), with_pictures(0, 255)), Contains("too small"));
  CHECK_THAT(*judge_inputs(of_samples(3, shares), with_pictures(-2.1, 2.6)), Contains("left out"));
  CHECK_THAT(*judge_inputs(of_samples(3, {10, -1}), with_pictures(-2.1, 2.6)), Contains("twice"));
}

TEST_CASE("what a normalization was trained on is compared with what it makes") {
  CHECK_FALSE(judge_inputs(of_samples(9, {}, {1.3F, 0.5F}), with_norm()));
  CHECK_FALSE(judge_inputs(of_samples(9, {}, {0.5F, 0.1F}), with_norm()));
  const auto large = judge_inputs(of_samples(9, {}, {255, 0}), with_norm());
  REQUIRE(large);
  CHECK_THAT(*large, Contains("0-255 instead of 0-1") && Contains("'bn'"));
  CHECK_THAT(*judge_inputs(of_samples(9, {}, {4.4F, 0}), with_norm()), Contains("twice"));
  CHECK_THAT(*judge_inputs(of_samples(9, {}, {0.22F, 0}), with_norm()), Contains("left out"));
  CHECK_THAT(*judge_inputs(of_samples(9, {}, {0.004F, 0}), with_norm()),
             Contains("0-1 instead of 0-255"));
  CHECK_THAT(*judge_inputs(of_samples(9, {}, {1, 5}), with_norm()), Contains("different mean"));
}

TEST_CASE("a few samples may vary little") {
  CHECK_FALSE(judge_inputs(of_samples(7, {}, {0.1F, 0.2F}), with_norm()));
  CHECK(judge_inputs(of_samples(8, {}, {0.1F, 0.2F}), with_norm()));
  CHECK(judge_inputs(of_samples(1, {}, {0.01F, 0.2F}), with_norm()));
}

TEST_CASE("a float model that is right by chance alone is told") {
  const Calibration state = of_samples(1, {});
  const auto judged = [&](LabelCount labels) {
    InputEvidence evidence;
    evidence.labels = labels;
    return judge_inputs(state, evidence);
  };
  CHECK_FALSE(judged({100, 75, 10}));
  CHECK_FALSE(judged({100, 40, 10}));
  CHECK_FALSE(judged({19, 0, 5}));
  CHECK_FALSE(judged({50, 50, 50}));
  const auto told = judged({100, 14, 10});
  REQUIRE(told);
  CHECK_THAT(*told, Contains("right for 14 of 100 labeled samples"));
}

TEST_CASE(
    "data that hardly move the first layer beside its bias are told, unless labels are right") {
  InputEvidence evidence;
  evidence.model_evidence.layers = {{"input", "output", {0.5, -0.3, 0.2, 1, 0.4, 0}}};
  CHECK_FALSE(judge_inputs(of_samples(3, shares, {1, 0}), evidence));
  CHECK_FALSE(judge_inputs(of_samples(3, byte_ends, {2000, 0}), evidence));
  const Calibration small = of_samples(3, shares, {0.01F, 0.5F});
  REQUIRE(judge_inputs(small, evidence));
  CHECK_THAT(*judge_inputs(small, evidence), Contains("0-1 instead of 0-255"));
  evidence.labels = LabelCount{100, 90, 10};
  CHECK_FALSE(judge_inputs(small, evidence));
}

TEST_CASE("without evidence nothing is said") {
  CHECK_FALSE(judge_inputs(of_samples(3, byte_ends), {}));
  CHECK_FALSE(judge_inputs(of_samples(0, {}), with_range(0, 1, true)));
}

}  // namespace
}  // namespace ortool
