// Choice of the calibration method: reasons for a form that was not measured to be the best.
#include "libcore/quantize/search/choose_method.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

MethodTrial trial(CalibrationMethod method, SampleRatios ratios) {
  return {method, true, std::move(ratios)};
}

TEST_CASE("the best form needs no reason") {
  CHECK(reason_of_preference(
            {trial(CalibrationMethod::mse, {20, 22}), trial(CalibrationMethod::minmax, {19, 22})})
            .empty());
}

TEST_CASE("a better form is left out because of its standard error") {
  CHECK(reason_of_preference({trial(CalibrationMethod::mse, {20, 22, 24}),
                              trial(CalibrationMethod::minmax, {26, 20, 24})}) ==
        "a difference of 1.3 dB is within chance: its standard error is 2.4 dB");
  CHECK(reason_of_preference(
            {trial(CalibrationMethod::mse, {20}), trial(CalibrationMethod::minmax, {22})}) ==
        "a single sample decides only from 3 dB on");
}

TEST_CASE("the gain of one form over another has a standard error") {
  const MeanGain gain = gain_of({26, 20, 24}, {20, 22, 24});
  CHECK(gain.db == Approx(4.0 / 3));
  CHECK(gain.error_db == Approx(2.404).margin(0.001));
  CHECK(gain_of({3}, {1}).error_db == 0);
}

}  // namespace
}  // namespace ortool
