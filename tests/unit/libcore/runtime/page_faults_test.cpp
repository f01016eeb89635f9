// Page faults of runs: by its hundredth run, a session has all the memory that it needs.
#include <algorithm>
#include <limits>
#include <malloc.h>

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

/// Whether page faults are meaningful here: a sanitizer's allocator causes its own.
bool can_count() {
  if (is_sanitized) WARN("SKIPPED: page faults are not counted in builds with a sanitizer");
  return !is_sanitized;
}

/// Fixes malloc's thresholds at their initial values, which it would otherwise raise: larger blocks
/// return to the system when freed.
void fix_thresholds() {
  if (is_sanitized) return;
  constexpr int first_threshold = 128 << 10;
  REQUIRE(mallopt(M_MMAP_THRESHOLD, first_threshold) == 1);
  REQUIRE(mallopt(M_TRIM_THRESHOLD, first_threshold) == 1);
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// The fewest page faults of any run from the hundredth on, cycling through `inputs`. The outputs
/// of a run live until the next one has ended.
long faults_of_late_runs(const Session& session, const std::vector<NamedValues>& inputs,
                         const RunOptions& options = {}) {
  fix_thresholds();
  long fewest = std::numeric_limits<long>::max();
  std::vector<RunValue> outputs;
  for (std::size_t run = 0; run < 110; ++run) {
    const long before = page_faults();
    outputs = session.run(inputs[run % inputs.size()], options);
    if (run >= 99) fewest = std::min(fewest, page_faults() - before);
  }
  return can_count() ? fewest : 0;
}

/// As above, for the entry of `inputs` with the most page faults.
long faults_of_turns(const Session& session, const std::vector<NamedValues>& inputs) {
  fix_thresholds();
  long most = 0;
  std::vector<RunValue> outputs;
  for (std::size_t run = 0; run < 100; ++run)
    outputs = session.run(inputs[run % inputs.size()], {});
  for (const NamedValues& each : inputs) {
    long fewest = std::numeric_limits<long>::max();
    for (int again = 0; again < 3; ++again) {
      for (const NamedValues& other : inputs) {
        const long before = page_faults();
        outputs = session.run(other, {});
        if (&other == &each) fewest = std::min(fewest, page_faults() - before);
      }
    }
    most = std::max(most, fewest);
  }
  return can_count() ? most : 0;
}

Tensor rows(std::int64_t count, std::int64_t columns) {
  return random_tensor(Shape{count, columns}, 1);
}

}  // namespace

TEST_CASE("A matrix product into 786 kB has no page faults in its hundredth run") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[384,16] a, float[16,512] b) => (float[384,512] y) { y = MatMul(a, b) })");
  CHECK(faults_of_late_runs(*session, {{{"a", rows(384, 16)}, {"b", rows(16, 512)}}}) == 0);
}

TEST_CASE("An output above every threshold of the C library has no page faults either") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,4096] x) => (float[N,4096] y) { y = Relu(x) })");
  CHECK(faults_of_late_runs(*session, {{{"x", rows(2100, 4096)}}}) == 0);
}

TEST_CASE("Runs shared by threads have no page faults") {
  ThreadPool pool(2);
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,4096] x) => (float[N,4096] y) { a = Exp(x) y = Tanh(a) })",
                                    cpu_options(&pool));
  RunOptions options;
  options.threads = 2;
  CHECK(faults_of_late_runs(*session, {{{"x", rows(100, 4096)}}}, options) == 0);
}

TEST_CASE("Shapes that take turns have no page faults") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,512] x) => (float[N,512] y, float[512,N] z) {
      y = Relu(x)
      z = Transpose<perm = [1,0]>(y)
    })");
  std::vector<NamedValues> inputs;
  for (const std::int64_t count : {300, 40, 500, 120, 499, 77, 250, 1, 410, 33, 360})
    inputs.push_back({{"x", rows(count, 512)}});
  CHECK(faults_of_turns(*session, inputs) == 0);
}

TEST_CASE("Outputs whose shapes depend on content have no page faults") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,512] x) => (int64[2,K] places, float[K] kept, float[K] doubled) <float zero = {0}> {
      positive = Greater(x, zero)
      places = NonZero(positive)
      rows = Transpose<perm = [1,0]>(places)
      kept = GatherND(x, rows)
      doubled = Add(kept, kept)
    })");
  CHECK(faults_of_late_runs(*session, {{{"x", rows(200, 512)}}}) == 0);
}

TEST_CASE("Sequences have no page faults") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,1024] x) => (float[M,1024] y, seq(float[1,1024]) pieces) {
      pieces = SplitToSequence<axis = 0>(x)
      doubled = SequenceMap(pieces) <body = b (float[1,1024] row) => (float[1,1024] twice) {
        twice = Add(row, row)
      }>
      y = ConcatFromSequence<axis = 0>(doubled)
    })");
  CHECK(faults_of_late_runs(*session, {{{"x", rows(60, 1024)}}}) == 0);
}

TEST_CASE("Bodies of Loop, Scan and If have no page faults") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[200,512] x, bool yes) => (float[200,512] last, float[T,200,512] all, float[200,512] s,
                                       float[200,512] chosen)
    <int64 trips = {5}> {
      last, all = Loop(trips, yes, x) <body = b (int64 i, bool c, float[200,512] a)
                                            => (bool c1, float[200,512] a1, float[200,512] o) {
        c1 = Identity(c)
        a1 = Add(a, a)
        o = Relu(a1)
      }>
      s = Scan<num_scan_inputs = 1, body = d (float[512] r) => (float[512] t) { t = Neg(r) }>(x)
      chosen = If(yes) <then_branch = e () => (float[200,512] t1) { t1 = Neg(x) },
                        else_branch = f () => (float[200,512] t2) { t2 = Abs(x) }>
    })");
  const Tensor yes = Tensor::scalar(true);
  CHECK(faults_of_late_runs(*session, {{{"x", rows(200, 512)}, {"yes", yes}}}) == 0);
}

TEST_CASE("An input whose bytes are not aligned is copied without page faults") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,512] x) => (float[N,512] y) { y = Relu(x) })");
  const Tensor bytes(DataType::uint8, Shape{200 * 512 * 4 + 1});
  const auto owner = std::make_shared<const Tensor>(bytes);
  const Tensor x = Tensor::view(DataType::float32, Shape{200, 512},
                                std::span(bytes.bytes() + 1, 200 * 512 * 4), owner);
  CHECK(faults_of_late_runs(*session, {{{"x", x}}}) == 0);
}
