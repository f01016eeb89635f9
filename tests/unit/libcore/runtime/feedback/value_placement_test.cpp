// Value placement: values that bodies read and write on a device, fed back and held between runs.
#include "libcore/runtime/feedback/value_placement.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/runtime/feedback/feedback_session.hpp"
#include "tests/cuda_emulation/emulated_session.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;
using test::EmulatedSession;

namespace {

/// As exporters merge the decoders of an encoder-decoder: its first run makes what it reads of the
/// encoder's states, `made`; later ones read that as `cross`, and leave `later_made` in its place.
std::string merged_decoder(
    std::string_view later_made,
    std::string_view first_read = "s2 = ReduceMax <axes = [1], keepdims = 0> (p2)") {
  return std::string(R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[1,1,3] x, float[2,3] states, float[1,P,3] past, float[E,3] cross, int64[1,2] mask, bool is_later)
    => (float[1,3] y, float[1,Q,3] present, float[F,3] made) <float[0,3] none = {}> {
    y, present, made = If (is_later) <
      then_branch = later () => (float[1,3] y1, float[1,Q1,3] p1, float[F1,3] c1) {
        a1 = Mul (x, x)
        p1 = Concat <axis = 1> (past, a1)
        s1 = ReduceMax <axes = [1], keepdims = 0> (p1)
        m1 = Cast <to = 1> (mask)
        t1 = Transpose <perm = [1, 0]> (m1)
        w1 = Mul (t1, cross)
        v1 = ReduceMax <axes = [0]> (w1)
        y1 = Add (s1, v1)
        )")
      .append(later_made)
      .append(R"(
      },
      else_branch = first () => (float[1,3] y2, float[1,Q2,3] p2, float[F2,3] c2) {
        p2 = Mul (x, x)
        )")
      .append(first_read)
      .append(R"(
        c2 = Neg (states)
        m2 = Cast <to = 1> (mask)
        t2 = Transpose <perm = [1, 0]> (m2)
        w2 = Mul (t2, c2)
        v2 = ReduceMax <axes = [0]> (w2)
        y2 = Add (s2, v2)
      }>
  })");
}

NamedValues merged_inputs(unsigned run) {
  return {{"x", random_tensor(Shape{1, 1, 3}, run)},
          {"is_later", Tensor::scalar(run > 0)},
          {"states", random_tensor(Shape{2, 3}, 90)},
          {"past", Tensor(DataType::float32, Shape{1, 0, 3})},
          {"cross", Tensor(DataType::float32, Shape{0, 3})},
          {"mask", Tensor::of<std::int64_t>(Shape{1, 2}, {1, 1})}};
}

/// Runs on the cpu, every value given in each run.
class ExpectedMergedLoop {
 public:
  explicit ExpectedMergedLoop(std::string_view text) : session_(make_session(text)) {}
  std::vector<RunValue> step(unsigned run) {
    NamedValues inputs = merged_inputs(run);
    if (run > 0) {
      inputs[3].second = last_[1];
      inputs[4].second = made_;
    }
    last_ = session_->run(inputs, {});
    if (run == 0) made_ = last_[2];
    return last_;
  }

 private:
  std::unique_ptr<Session> session_;
  std::vector<RunValue> last_;
  RunValue made_;
};

/// The first run is given all values, later ones only what changes.
NamedValues given_in(unsigned run) {
  NamedValues inputs = merged_inputs(run);
  if (run > 0) inputs.resize(2);
  return inputs;
}

}  // namespace

TEST_CASE("caches that the bodies of an If read and write stay on a device") {
  const std::string text = merged_decoder("c1 = Identity (none)");
  const EmulatedSession emulated(text);
  FeedbackSession fed(*emulated.session, {{"present", "past"}}, {"states", "mask"});
  fed.hold_output("made", "cross");
  ExpectedMergedLoop expected(text);
  for (unsigned run = 0; run < 6; ++run) {
    const test::EmulationCounts& counts = emulated.device->counts();
    const std::int64_t uploads = counts.uploads;
    const std::int64_t downloads = counts.downloads;
    const auto wanted = expected.step(run);
    const auto found = fed.run(given_in(run), {});
    CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
    CHECK(found[1].is_none());
    CHECK(found[2].is_none() == (run == 0));
    // past, cross, states and mask; x goes in, and y comes out.
    CHECK(fed.kept_count() == 4);
    CHECK(counts.uploads - uploads == 1);
    CHECK(counts.downloads - downloads == 1);
  }
  CHECK(fed.fetch("made").tensor().shape() == Shape{2, 3});
}

TEST_CASE("a branch may hand a value on to the next run as it is") {
  const std::string text = merged_decoder("c1 = Identity (cross)");
  const EmulatedSession emulated(text);
  FeedbackSession fed(*emulated.session, {{"present", "past"}, {"made", "cross"}},
                      {"states", "mask"});
  ExpectedMergedLoop expected(text);
  for (unsigned run = 0; run < 5; ++run) {
    const auto wanted = expected.step(run);
    const auto found = fed.run(given_in(run), {});
    CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
    CHECK(found[2].is_none());
    CHECK(same_bits(fed.fetch("made").tensor(), wanted[2].tensor()));
  }
}

TEST_CASE("a value that one branch computes on the host is fed to the other from there") {
  // What a branch reads on the host as well is made there.
  const std::string read = merged_decoder(
      "c1 = Identity (none)",
      "n = NonZero (p2) f = Cast <to = 1> (n) g = ReduceMax <axes = [0, 1], keepdims = 0> (f) "
      "r = ReduceMax <axes = [1], keepdims = 0> (p2) s2 = Add (r, g)");
  const EmulatedSession emulated(read);
  FeedbackSession fed(*emulated.session, {{"present", "past"}}, {"states", "mask"});
  fed.hold_output("made", "cross");
  ExpectedMergedLoop expected(read);
  for (unsigned run = 0; run < 4; ++run) {
    const auto wanted = expected.step(run);
    const auto found = fed.run(given_in(run), {});
    CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
    CHECK(found[1].is_none() == (run > 0));
    CHECK(same_bits(fed.fetch("present").tensor(), wanted[1].tensor()));
  }
}

TEST_CASE("values that a loop's body captures are held on a device") {
  constexpr std::string_view text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[2,3] x, float[2,3] states, int64 count) => (float[2,3] y) <bool yes = {1}> {
      y = Loop (count, yes, x) <body = step (int64 i, bool c, float[2,3] v) => (bool d, float[2,3] w) {
        d = Identity (c)
        w = Add (v, states)
      }>
    })";
  const EmulatedSession emulated(text);
  const auto plain = make_session(text);
  FeedbackSession fed(*emulated.session, {}, {"states"});
  const test::EmulationCounts& counts = emulated.device->counts();
  for (unsigned run = 0; run < 3; ++run) {
    NamedValues inputs = {{"x", random_tensor(Shape{2, 3}, run)},
                          {"count", Tensor::scalar(std::int64_t{4})},
                          {"states", random_tensor(Shape{2, 3}, 70)}};
    const auto wanted = plain->run(inputs, {});
    if (run > 0) inputs.resize(2);
    const std::int64_t uploads = counts.uploads;
    const auto found = fed.run(inputs, {});
    CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
    // v in each iteration.
    CHECK(counts.uploads - uploads == 4);
    CHECK(fed.kept_count() == 1);
  }
}

TEST_CASE("shapes follow from values that are held on a device") {
  constexpr std::string_view text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[1,3] x, int64[2] sizes) => (float[N,3] y, float[2] z) {
      y = Expand (x, sizes)
      z = Cast <to = 1> (sizes)
    })";
  const EmulatedSession emulated(text);
  FeedbackSession fed(*emulated.session, {}, {"sizes"});
  const auto run_with = [&](unsigned run, std::int64_t rows, bool is_given) {
    NamedValues inputs = {{"x", random_tensor(Shape{1, 3}, run)}};
    if (is_given) inputs.emplace_back("sizes", Tensor::of<std::int64_t>(Shape{2}, {rows, 3}));
    return fed.run(inputs, {});
  };
  for (unsigned run = 0; run < 3; ++run) {
    const auto found = run_with(run, 4, run == 0);
    CHECK(found[0].tensor().shape() == Shape{4, 3});
    CHECK(floats(found[1]) == std::vector<float>{4, 3});
  }
  fed.set("sizes", Tensor::of<std::int64_t>(Shape{2}, {2, 3}));
  CHECK(run_with(3, 0, false)[0].tensor().shape() == Shape{2, 3});
}
