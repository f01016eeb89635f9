// Progress of long steps: their names, and counts that reach their totals.
#include <map>

#include <catch2/catch.hpp>

#include "libcore/api/optimize.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/text/parse.hpp"
#include "providers/provider_list.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr const char* counted_text =
    "<ir_version: 8, opset_import: [\"\" : 18]> g (float[n] x) => (float[n] y) {"
    " s = Sigmoid (x) m = Mul (x, s) c = Abs (m) y = Neg (c) }";

/// The counts of a step at its end.
struct StepCount {
  std::int64_t done = 0;
  std::int64_t total = 0;
};

/// Records the last counts of each step.
class StepRecorder {
 public:
  StepFunction function() {
    return [this](std::string_view step) {
      return std::make_unique<Meter>(counts[std::string(step)]);
    };
  }

  std::map<std::string, StepCount> counts;

 private:
  struct Meter : ProgressMeter {
    explicit Meter(StepCount& of_step) : count(of_step) { count = {}; }
    void tell_done(std::int64_t done, std::int64_t total) override { count = {done, total}; }
    StepCount& count;
  };
};

}  // namespace

TEST_CASE("a session counts the passes and the nodes that it compiles") {
  StepRecorder steps;
  SessionOptions options = cpu_options();
  options.on_step = steps.function();
  options.optimize = OptimizeLevel::basic;
  const Session session(parse_model(counted_text), std::move(options));
  CHECK(steps.counts["compiling"].done == 4);
  CHECK(steps.counts["compiling"].total == 4);
  CHECK(steps.counts["optimizing"].done > 10);
  CHECK(steps.counts["optimizing"].done <= steps.counts["optimizing"].total);
}

TEST_CASE("a run counts the steps of the main graph") {
  StepRecorder steps;
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  const auto session = make_session(counted_text, std::move(options));
  {
    Progress progress(steps.function(), "running");
    RunOptions run_options;
    run_options.progress = &progress;
    static_cast<void>(session->run({{"x", vector_of({1, 2, 3})}}, run_options));
  }
  CHECK(steps.counts["running"].done == 4);
  CHECK(steps.counts["running"].total == 4);
}

TEST_CASE("optimizing counts passes, newer opsets and the candidates of float16") {
  StepRecorder steps;
  OptimizeOptions options;
  options.compute.providers = default_providers();
  options.compute.on_step = steps.function();
  options.finds_opset_gain = true;
  options.runs = 2;
  const auto model = parse_model(counted_text);
  static_cast<void>(optimize(*model, options));
  CHECK(steps.counts["optimizing"].done > 10);
  CHECK(steps.counts["trying newer opsets"].total == 4);
  CHECK(steps.counts["verifying"].total == 2);

  options.float_type = DataType::float16;
  const auto halved = parse_model(counted_text);
  static_cast<void>(optimize(*halved, options));
  CHECK(steps.counts["observing float ranges"].total == 2);
  CHECK(steps.counts["choosing precision"].done == steps.counts["choosing precision"].total);
  CHECK(steps.counts["choosing precision"].done >= 1);
}

TEST_CASE("items that turn out to be more or fewer change the total") {
  StepRecorder steps;
  Progress progress(steps.function(), "searching");
  progress.expect(3);
  progress.finish();
  progress.expect(-1);
  CHECK(steps.counts["searching"].done == 1);
  CHECK(steps.counts["searching"].total == 2);
}

}  // namespace ortool
