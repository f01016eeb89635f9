// Feedback sessions: outputs that are inputs of the next run, and inputs that are held, on the host
// and on a device.
#include "libcore/runtime/feedback/feedback_session.hpp"

#include <array>
#include <span>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "tests/cuda_emulation/emulated_session.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;
using test::EmulatedSession;

namespace {

/// A cache that grows by a row in each run, and one of constant size.
constexpr std::string_view decoder = R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[1,1,3] x, float[1,P,3] past, float[2,3] state)
    => (float[1,3] y, float[1,Q,3] present, float[2,3] next)
  <int64[1] rows = {1}> {
    h = Mul (x, x)
    present = Concat <axis = 1> (past, h)
    s = ReduceMax <axes = [1], keepdims = 0> (present)
    next = Add (state, s)
    t = ReduceMax <axes = [0], keepdims = 1> (next)
    y = Sub (t, s)
  })";

/// The cache is also read by a node that the device does not take.
constexpr std::string_view read_elsewhere = R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[1,1,3] x, float[1,P,3] past, float[2,3] state)
    => (int64[3,K] y, float[1,Q,3] present, float[2,3] next) {
    present = Concat <axis = 1> (past, x)
    y = NonZero (present)
    next = Exp (state)
  })";

const std::vector<FeedbackPair> feeds = {{"present", "past"}, {"next", "state"}};

NamedValues inputs_of(unsigned run) {
  return {{"x", random_tensor(Shape{1, 1, 3}, run)},
          {"past", Tensor(DataType::float32, Shape{1, 0, 3})},
          {"state", random_tensor(Shape{2, 3}, 7)}};
}

/// Runs on the cpu, fed on the host.
class ExpectedLoop {
 public:
  explicit ExpectedLoop(std::string_view text) : session_(make_session(text)) {}
  std::vector<RunValue> step(unsigned run) {
    NamedValues inputs = inputs_of(run);
    if (!last_.empty()) {
      inputs[1].second = last_[1];
      inputs[2].second = last_[2];
    }
    last_ = session_->run(inputs, {});
    return last_;
  }

 private:
  std::unique_ptr<Session> session_;
  std::vector<RunValue> last_;
};

}  // namespace

TEST_CASE("values that are fed back stay on a device between runs") {
  const EmulatedSession emulated(decoder);
  FeedbackSession fed(*emulated.session, feeds);
  ExpectedLoop expected(decoder);
  for (unsigned run = 0; run < 12; ++run) {
    const test::EmulationCounts& counts = emulated.device->counts();
    const std::int64_t uploads = counts.uploads;
    const std::int64_t downloads = counts.downloads;
    const auto wanted = expected.step(run);
    const auto found = fed.run(inputs_of(run), {});
    CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
    CHECK(found[1].is_none());
    CHECK(found[2].is_none());
    CHECK(fed.kept_count() == 2);
    // x goes in, with the first state, and y comes out.
    CHECK(counts.uploads - uploads == (run == 0 ? 2 : 1));
    CHECK(counts.downloads - downloads == 1);
    if (run % 5 != 4) continue;
    CHECK(same_bits(fed.fetch("present").tensor(), wanted[1].tensor()));
    CHECK(same_bits(fed.fetch("next").tensor(), wanted[2].tensor()));
  }
}

TEST_CASE("values of fed inputs can be replaced between runs on a device") {
  const EmulatedSession emulated(decoder);
  FeedbackSession fed(*emulated.session, feeds);
  const auto first = fed.run(inputs_of(1), {});
  fed.run(inputs_of(2), {});
  fed.set("past", Tensor(DataType::float32, Shape{1, 0, 3}));
  fed.set("state", inputs_of(1)[2].second);
  CHECK(same_bits(fed.run(inputs_of(1), {})[0].tensor(), first[0].tensor()));
  CHECK_THROWS_AS(fed.set("x", first[0]), Error);
}

TEST_CASE("memory of values that stay on a device is used again, and released") {
  auto device = std::make_shared<test::EmulatedDevice>();
  {
    SessionOptions options;
    options.providers = {
        cuda::make_provider_on([&](std::int64_t, std::int64_t) { return device; }, {}),
        make_cpu_provider()};
    const auto session = make_session(R"(<ir_version: 9, opset_import: ["" : 17]>
      g (float[4,3] state) => (float[4,3] next) { next = Exp (state) })",
                                      std::move(options));
    FeedbackSession fed(*session, {{"next", "state"}});
    const NamedValues inputs = {{"state", random_tensor(Shape{4, 3}, 1)}};
    for (int run = 0; run < 3; ++run) fed.run(inputs, {});
    const std::int64_t allocations = device->live_allocations();
    for (int run = 0; run < 5; ++run) fed.run(inputs, {});
    CHECK(device->live_allocations() == allocations);
  }
  CHECK(device->live_allocations() == 0);
}

TEST_CASE("values that another provider reads are fed back on the host") {
  const EmulatedSession emulated(read_elsewhere);
  FeedbackSession fed(*emulated.session, feeds);
  ExpectedLoop expected(read_elsewhere);
  for (unsigned run = 0; run < 4; ++run) {
    const auto wanted = expected.step(run);
    const auto found = fed.run(inputs_of(run), {});
    CHECK(integers(found[0]) == integers(wanted[0]));
    CHECK(same_bits(found[1].tensor(), wanted[1].tensor()));
    CHECK(fed.kept_count() == 1);
  }
}

TEST_CASE("a run that fails leaves values that stay on a device as they were") {
  const EmulatedSession emulated(decoder);
  FeedbackSession fed(*emulated.session, feeds);
  ExpectedLoop expected(decoder);
  expected.step(0);
  fed.run(inputs_of(0), {});
  NamedValues wrong = inputs_of(1);
  wrong[0].second = random_tensor(Shape{1, 1, 4}, 1);
  CHECK_THROWS_AS(fed.run(wrong, {}), Error);
  CHECK(same_bits(fed.run(inputs_of(1), {})[0].tensor(), expected.step(1)[0].tensor()));
}

TEST_CASE("observers see values that would stay on a device") {
  class Sum : public ValueObserver {
   public:
    void observe(const Node&, std::int64_t, const RunValue& value) override {
      for (const float element : floats(value)) total += element;
    }
    double total = 0;
  };
  const EmulatedSession emulated(decoder);
  FeedbackSession fed(*emulated.session, feeds);
  ExpectedLoop expected(decoder);
  for (unsigned run = 0; run < 4; ++run) {
    Sum sum;
    const auto wanted = expected.step(run);
    const auto found = fed.run(inputs_of(run), {.observer = run == 2 ? &sum : nullptr});
    CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
    CHECK(fed.kept_count() == (run == 2 ? 0 : 2));
    CHECK((sum.total != 0) == (run == 2));
  }
}

TEST_CASE("on the cpu, values are fed back without copies") {
  const auto session = make_session(decoder);
  FeedbackSession fed(*session, feeds);
  ExpectedLoop expected(decoder);
  for (unsigned run = 0; run < 3; ++run) {
    const auto wanted = expected.step(run);
    const auto found = fed.run(inputs_of(run), {});
    for (std::size_t i = 0; i < 3; ++i) CHECK(same_bits(found[i].tensor(), wanted[i].tensor()));
    CHECK(fed.fetch("present").tensor().bytes() == found[1].tensor().bytes());
  }
  CHECK_THROWS_WITH(FeedbackSession(*session, {{"nothing", "past"}}),
                    Catch::Contains("no output 'nothing'"));
  CHECK_THROWS_WITH(FeedbackSession(*session, {{"present", "past"}, {"next", "past"}}),
                    Catch::Contains("fed twice"));
}

namespace {

/// Reads the same states in each run.
constexpr std::string_view cross_decoder = R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[1,3] x, float[4,3] states, float[1,3] state) => (float[4,3] y, float[1,3] next) {
    next = Add (state, x)
    y = Mul (states, next)
  })";

NamedValues cross_inputs(unsigned run) {
  return {{"x", random_tensor(Shape{1, 3}, run)},
          {"states", random_tensor(Shape{4, 3}, 40)},
          {"state", random_tensor(Shape{1, 3}, 41)}};
}

}  // namespace

TEST_CASE("values that stay the same are copied to a device once") {
  const EmulatedSession emulated(cross_decoder);
  FeedbackSession fed(*emulated.session, {{"next", "state"}}, {"states"});
  const auto plain = make_session(cross_decoder);
  FeedbackSession expected(*plain, {{"next", "state"}}, {"states"});
  const test::EmulationCounts& counts = emulated.device->counts();
  for (unsigned run = 0; run < 5; ++run) {
    NamedValues inputs = cross_inputs(run);
    // Later runs get x alone.
    if (run > 0) inputs.resize(1);
    const std::int64_t uploads = counts.uploads;
    const auto found = fed.run(inputs, {});
    CHECK(same_bits(found[0].tensor(), expected.run(inputs, {})[0].tensor()));
    // x goes in, with the first state; the states are copied apart, before they are first read.
    CHECK(counts.uploads - uploads == (run == 0 ? 2 : 1));
    CHECK(fed.kept_count() == 2);
  }
  fed.set("states", random_tensor(Shape{4, 3}, 50));
  expected.set("states", random_tensor(Shape{4, 3}, 50));
  for (unsigned run = 0; run < 2; ++run) {
    const NamedValues inputs = {{"x", random_tensor(Shape{1, 3}, 60)}};
    CHECK(same_bits(fed.run(inputs, {})[0].tensor(), expected.run(inputs, {})[0].tensor()));
  }
  CHECK_THROWS_AS(FeedbackSession(*plain, {{"next", "state"}}, {"state"}), Error);
  CHECK_THROWS_AS(FeedbackSession(*plain, {}, {"states", "states"}), Error);
  CHECK_THROWS_WITH(FeedbackSession(*plain, {}, {"state_"}),
                    Catch::Contains("no input 'state_' to hold"));
  CHECK_THROWS_WITH(fed.hold_output("none", "x"), Catch::Contains("no output 'none'"));
}

TEST_CASE("an input is held at the value that an output first has, as soon as it has elements") {
  const EmulatedSession emulated(cross_decoder);
  const auto plain = make_session(cross_decoder);
  for (const Session* session : {emulated.session.get(), plain.get()}) {
    FeedbackSession fed(*session, {});
    fed.hold_output("y", "states");
    CHECK(fed.is_made_next("states"));
    CHECK_FALSE(fed.is_held_next("states"));
    CHECK_THROWS_AS(fed.fetch("y"), Error);
    const auto first = make_session(cross_decoder)->run(cross_inputs(0), {});
    fed.run(cross_inputs(0), {});
    CHECK_FALSE(fed.is_made_next("states"));
    for (unsigned run = 1; run < 3; ++run) {
      NamedValues inputs = cross_inputs(run);
      inputs[1].second = first[0];
      const auto wanted = plain->run(inputs, {});
      // The value that is given no longer counts.
      const auto found = fed.run(cross_inputs(run), {});
      CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
      CHECK(same_bits(fed.fetch("y").tensor(), first[0].tensor()));
    }
  }
}

TEST_CASE("a run that fails does not hold what it was given") {
  const EmulatedSession emulated(cross_decoder);
  FeedbackSession fed(*emulated.session, {{"next", "state"}}, {"states"});
  NamedValues wrong = cross_inputs(0);
  wrong[0].second = random_tensor(Shape{1, 4}, 1);
  CHECK_THROWS_AS(fed.run(wrong, {}), Error);
  CHECK(fed.is_held_next("states"));
  CHECK(fed.kept_count() == 0);
  CHECK(same_bits(fed.run(cross_inputs(0), {})[0].tensor(),
                  make_session(cross_decoder)->run(cross_inputs(0), {})[0].tensor()));
}

TEST_CASE("memory of the caller for one output leaves other values on the device") {
  const EmulatedSession emulated(decoder);
  FeedbackSession fed(*emulated.session, feeds);
  ExpectedLoop expected(decoder);
  alignas(64) std::array<float, 6> memory = {};
  for (unsigned run = 0; run < 4; ++run) {
    const auto wanted = expected.step(run);
    RunOptions options;
    options.bound_outputs = {{"next", std::as_writable_bytes(std::span(memory))}};
    const auto found = fed.run(inputs_of(run), options);
    CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
    CHECK(found[1].is_none());
    CHECK(floats(found[2]) == floats(wanted[2]));
    CHECK(fed.kept_count() == 1);
    memory.fill(7);
  }
}

TEST_CASE("an observed run reads values that stay the same on the host") {
  class CountingObserver : public ValueObserver {
   public:
    void observe(const Node&, std::int64_t, const RunValue&) override { ++count; }
    int count = 0;
  };
  const EmulatedSession emulated(cross_decoder);
  FeedbackSession fed(*emulated.session, {{"next", "state"}}, {"states"});
  const auto plain = make_session(cross_decoder);
  FeedbackSession expected(*plain, {{"next", "state"}}, {"states"});
  for (unsigned run = 0; run < 4; ++run) {
    const NamedValues inputs = cross_inputs(run);
    CountingObserver observer;
    RunOptions options;
    if (run == 2) options.observer = &observer;
    const auto found = fed.run(inputs, options);
    CHECK(same_bits(found[0].tensor(), expected.run(inputs, {})[0].tensor()));
    if (run == 2) CHECK(fed.kept_count() == 0);
  }
}
