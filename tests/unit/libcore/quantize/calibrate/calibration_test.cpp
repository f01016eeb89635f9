// Calibration state, its files, and the pass over the data that fills it.
#include "libcore/quantize/calibrate/calibration.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/quantize/calibrate/collect.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

constexpr std::string_view model_text = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[n, 4] x) => (float[n, 4] y) {
    doubled = Add (x, x)
    y = Relu (doubled)
  }
)";

std::unique_ptr<Session> plain_session() {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  return make_session(model_text, std::move(options));
}

/// Samples of changing shapes.
constexpr auto sample_of = [](std::int64_t number) {
  return NamedValues{{"x", random_tensor({1 + number % 3, 4}, static_cast<unsigned>(number))}};
};

CalibrationSettings settings_of() {
  CalibrationSettings settings;
  settings.values = {{"x", std::nullopt}, {"doubled", 1}, {"y", std::nullopt}};
  return settings;
}

CollectOptions options_of(std::int64_t count) {
  CollectOptions options;
  options.sample_count = count;
  return options;
}

}  // namespace

TEST_CASE("One pass sees inputs and every value that was asked for") {
  const auto session = plain_session();
  Calibration state(settings_of());
  collect(*session, state, sample_of, options_of(5));
  CHECK(state.samples().count() == 5);
  CHECK(state.find("x")->count() == (1 + 2 + 3 + 1 + 2) * 4);
  CHECK(state.find("doubled")->max() == 2 * state.find("x")->max());
  CHECK(state.find("doubled")->channels().size() == 4);
  CHECK(state.find("y")->min() == 0);
  CHECK(std::as_const(state).find("z") == nullptr);
}

TEST_CASE("Parts of the data calibrated apart and merged are the file of one pass") {
  const auto session = plain_session();
  Calibration whole(settings_of());
  collect(*session, whole, sample_of, options_of(12));
  for (const std::int64_t cut : {1, 5, 11}) {
    Calibration first(settings_of());
    collect(*session, first, sample_of, options_of(cut));
    Calibration rest(settings_of());
    CollectOptions options = options_of(12);
    options.first_sample = cut;
    collect(*session, rest, sample_of, options);
    rest.merge(first);
    CHECK(rest.serialize("k") == whole.serialize("k"));
  }
}

TEST_CASE("An interrupted pass goes on where it stopped and ends in the same bits") {
  const auto session = plain_session();
  Calibration whole(settings_of());
  collect(*session, whole, sample_of, options_of(9));

  StopToken stop;
  std::string saved;
  Calibration state(settings_of());
  CollectOptions options = options_of(9);
  options.stop = &stop;
  options.checkpoint = [&] { saved = state.serialize("k"); };
  options.progress = [&](const CollectProgress& progress) {
    CHECK(progress.total == 9);
    if (progress.done == 4) stop.request(ErrorCode::interrupted);
  };
  CHECK_THROWS_AS(collect(*session, state, sample_of, options), Error);
  Calibration resumed = Calibration::parse(saved, "k");
  CHECK(resumed.samples().count() == 4);
  collect(*session, resumed, sample_of, options_of(9));
  CHECK(resumed.serialize("k") == whole.serialize("k"));
}

TEST_CASE("Merging what does not belong together is an error and changes nothing") {
  Calibration a(settings_of());
  a.finish_sample(0);
  a.finish_sample(3);
  Calibration b(settings_of());
  b.finish_sample(3);
  const std::string before = a.serialize("");
  CHECK_THROWS_WITH(a.merge(b), Catch::Contains("sample 3"));
  CHECK(a.serialize("") == before);
  CalibrationSettings others = settings_of();
  others.values.pop_back();
  CHECK_THROWS_WITH(a.merge(Calibration(others)), Catch::Contains("settings"));
}

TEST_CASE("Numbers of samples join to stretches") {
  SampleIds numbers;
  for (const std::int64_t number : {5, 1, 3, 2, 4, 9}) numbers.add(number);
  CHECK(numbers.intervals().size() == 2);
  CHECK(numbers.count() == 6);
  CHECK(numbers.contains(4));
  CHECK_FALSE(numbers.contains(6));
  CHECK_THROWS_AS(numbers.add(2), Error);
  CHECK_THROWS_AS(numbers.add_interval(6, 10), Error);
  numbers.add_interval(6, 9);
  CHECK(numbers.intervals().size() == 1);
}

TEST_CASE("A file of another key, or a damaged one, is refused") {
  const auto session = plain_session();
  Calibration state(settings_of());
  collect(*session, state, sample_of, options_of(3));
  const std::string key = calibration_key("model", "data", settings_of());
  const std::string bytes = state.serialize(key);
  CHECK(Calibration::parse(bytes, key).serialize(key) == bytes);
  CHECK(Calibration::parse(bytes, "").samples().count() == 3);
  CHECK_THROWS_WITH(Calibration::parse(bytes, calibration_key("model", "others", settings_of())),
                    Catch::Contains("another model"));
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 1);
  CHECK_THROWS_AS(Calibration::parse(damaged, key), Error);
  CHECK_THROWS_AS(Calibration::parse(bytes.substr(0, bytes.size() - 9), key), Error);
  CHECK_THROWS_AS(Calibration::parse("", key), Error);
}

TEST_CASE("Digests of finished samples travel with the state, and merge") {
  Calibration first(settings_of());
  first.set_digest(0, "zero");
  first.finish_sample(0);
  first.set_digest(1, "begun, never finished");
  Calibration second(settings_of());
  second.set_digest(2, "two");
  second.finish_sample(2);
  first.merge(second);
  const Calibration read = Calibration::parse(first.serialize(""), "");
  CHECK(read.digest(0) == "zero");
  CHECK(read.digest(1).empty());
  CHECK(read.digest(2) == "two");
}

TEST_CASE("The key changes with the model, the data and the settings") {
  const std::string key = calibration_key("a", "b", settings_of());
  CHECK(calibration_key("ab", "", settings_of()) != key);
  CalibrationSettings others = settings_of();
  others.with_histograms = false;
  CHECK(calibration_key("a", "b", others) != key);
}

TEST_CASE("Infinities of inputs and of recorded values are told with their positions") {
  const auto session = plain_session();
  Calibration state(settings_of());
  CollectOptions options = options_of(2);
  std::vector<std::string> told;
  options.not_finite = [&](const Value& value, std::int64_t sample, const NonFiniteCount& found) {
    told.push_back(std::to_string(sample) + " " + std::string(value.name()) + " " +
                   found.to_string());
  };
  const auto mostly_good = [](std::int64_t sample) {
    const float number = sample == 1 ? -INFINITY : 1;
    return NamedValues{{"x", Tensor::of<float>({1, 4}, {1, 0, number, 3})}};
  };
  collect(*session, state, mostly_good, options);
  REQUIRE(told.size() >= 2);
  CHECK(told[0] == "1 x -inf at [0, 2]");
  for (const std::string& each : told) CHECK(each.substr(0, 2) == "1 ");
}

TEST_CASE("Data that are no numbers, and values that the model has not, are named") {
  const auto session = plain_session();
  Calibration state(settings_of());
  const auto broken = [](std::int64_t) {
    return NamedValues{{"x", Tensor::of<float>({1, 4}, {1, NAN, 2, 3})}};
  };
  CHECK_THROWS_WITH(collect(*session, state, broken, options_of(1)),
                    Catch::Contains("sample 0") && Catch::Contains("1 NaN: NaN at [0, 1]"));
  CalibrationSettings wrong;
  wrong.values = {{"doubledd", std::nullopt}};
  Calibration other(wrong);
  try {
    collect(*session, other, sample_of, options_of(1));
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.hint() == "did you mean 'doubled'?");
  }
}
