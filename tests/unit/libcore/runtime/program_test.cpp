// Programs: consecutive plans for data-dependent shapes, views, parallel nodes, limits in loops.
#include "libcore/runtime/program.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include <catch2/catch.hpp>

#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

/// The positive elements of x, doubled, as a column, and their count.
constexpr std::string_view positives = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[N] x) => (float[M,1] y, int64[1] count)
  <float zero = {0}, float two = {2}, int64[1] one = {1}> {
    is_positive = Greater(x, zero)
    places = NonZero(is_positive)
    rows = Transpose <perm = [1, 0]> (places)
    found = GatherND(x, rows)
    doubled = Mul(found, two)
    count = Shape(doubled)
    shape = Concat <axis = 0> (count, one)
    y = Reshape(doubled, shape)
  })";

}  // namespace

TEST_CASE("Shapes that depend on data are planned for as they come") {
  const auto session = make_session(positives);
  auto outputs = session->run({{"x", vector_of({-1, 2, 3, -4})}}, {});
  CHECK(floats(outputs[0]) == std::vector<float>{4, 6});
  CHECK(outputs[0].tensor().shape() == Shape{2, 1});
  CHECK(integers(outputs[1]) == std::vector<std::int64_t>{2});
  outputs = session->run({{"x", vector_of({-1, -2, -3, -4})}}, {});
  CHECK(outputs[0].tensor().shape() == Shape{0, 1});
  const std::int64_t plans = session->plan_count();
  outputs = session->run({{"x", vector_of({7, -2, 5, -4})}}, {});
  CHECK(floats(outputs[0]) == std::vector<float>{14, 10});
  CHECK(session->plan_count() == plans);
}

TEST_CASE("What a float16 kernel was told of an operand is told anew for other content") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float16[1,2] x, float[A,B] z) => (float16[1] y) {
      sizes = Shape(z)
      halves = Cast <to = 10> (sizes)
      y = MatMul(x, halves)
    })");
  constexpr std::uint16_t one = 0x3C00;
  Tensor x(DataType::float16, Shape{1, 2});
  for (std::uint16_t& element : x.mutable_data<std::uint16_t>()) element = one;
  const auto sum_of_sizes = [&](std::int64_t rows, std::int64_t columns) {
    const Tensor z = random_tensor(Shape{rows, columns}, 1);
    return session->run({{"x", x}, {"z", z}}, {})[0].tensor().data<std::uint16_t>()[0];
  };
  CHECK(sum_of_sizes(3, 5) == 0x4800);
  CHECK(sum_of_sizes(4, 7) == 0x4980);
}

TEST_CASE("A shape that the run computes is looked at where it is needed") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x, int64[1] rows) => (float[A,B] y, float[N] z) <int64[1] rest = {-1}> {
      z = Neg(x)
      twice = Add(rows, rows)
      shape = Concat <axis = 0> (twice, rest)
      v = Reshape(z, shape)
      y = Abs(v)
    })");
  const Tensor x = vector_of({1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(session->run({{"x", x}, {"rows", integers_of({1})}}, {})[0].tensor().shape() ==
        Shape{2, 4});
  CHECK(session->run({{"x", x}, {"rows", integers_of({2})}}, {})[0].tensor().shape() ==
        Shape{4, 2});
  CHECK_THROWS_AS(session->run({{"x", x}, {"rows", integers_of({5})}}, {}), Error);
  CHECK(session->run({{"x", x}, {"rows", integers_of({4})}}, {})[0].tensor().shape() ==
        Shape{8, 1});
}

TEST_CASE("Slices along the outermost axis and their concatenation keep their content") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[4,32] x) => (float[4,32] y, float[2,32] z, float[2,32] a) <int64[2] halves = {2, 2}> {
      p = Exp(x)
      a, b = Split <axis = 0> (p, halves)
      c = Neg(b)
      y = Concat <axis = 0> (c, a)
      z = Relu(c)
    })");
  const Tensor x = random_tensor(Shape{4, 32}, 5);
  const auto outputs = session->run({{"x", x}}, {});
  const auto y = floats(outputs[0]);
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK(y[i] == Approx(-std::exp(x.data<float>()[64 + i])));
    CHECK(y[64 + i] == floats(outputs[2])[i]);
    CHECK(floats(outputs[1])[i] == 0);
  }
}

TEST_CASE("Independent nodes at once give the bits of one after the other") {
  constexpr std::string_view branches = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,8] x, float[8,8] w) => (float[N,8] y) {
      a = MatMul(x, w)
      b = Neg(x)
      c = Exp(x)
      d = Mul(a, b)
      e = Tanh(c)
      f = Sqrt(c)
      h = Add(e, f)
      y = Add(d, h)
    })";
  ThreadPool pool(3);
  SessionOptions options = cpu_options(&pool);
  options.parallel = true;
  const auto parallel = make_session(branches, std::move(options));
  const auto sequential = make_session(branches);
  for (const std::int64_t rows : {1, 7, 64, 3}) {
    const NamedValues inputs = {{"x", random_tensor(Shape{rows, 8}, 1)},
                                {"w", random_tensor(Shape{8, 8}, 2)}};
    RunOptions run;
    run.threads = 3;
    for (int round = 0; round < 20; ++round)
      CHECK(same_bits(parallel->run(inputs, run)[0].tensor(),
                      sequential->run(inputs, {})[0].tensor()));
  }
}

namespace {

constexpr std::string_view endless = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[N] x) => (float[N] y) <bool yes = {1}> {
    y = Loop (, yes, x) <
      body = f (int64 i, bool c, float[N] a) => (bool c1, float[N] a1) {
        c1 = Identity(c)
        a1 = Neg(a)
      }>
  })";

}  // namespace

TEST_CASE("A stop request ends a Loop that would never end") {
  const auto session = make_session(endless);
  StopToken stop;
  std::thread query([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request(ErrorCode::timeout);
  });
  RunOptions options;
  options.stop = &stop;
  try {
    session->run({{"x", vector_of({1})}}, options);
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::timeout);
  }
  query.join();
}

TEST_CASE("A Loop whose value grows without bound ends at the memory cap, and gives it all back") {
  MemoryCap cap(8 << 20);
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x) => (float[M] y) <bool yes = {1}> {
      y = Loop (, yes, x) <
        body = f (int64 i, bool c, float[K] a) => (bool c1, float[L] a1) {
          c1 = Identity(c)
          a1 = Concat <axis = 0> (a, a)
        }>
    })",
                                    cpu_options(nullptr, &cap));
  try {
    session->run({{"x", vector_of({1})}}, {});
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::memory_limit);
  }
  CHECK(cap.peak_bytes() <= 8 << 20);
  session->release_kept_memory();
  CHECK(cap.used_bytes() <= 1 << 20);
}

namespace {

class Collector : public ValueObserver {
 public:
  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    names.push_back(std::string(node.output(index)->name()));
    values.push_back(value.owned());
  }
  std::vector<std::string> names;
  std::vector<RunValue> values;
};

}  // namespace

TEST_CASE("An observer sees every value in order, those of bodies and those known early as well") {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x, bool c) => (float[N] y, int64[1] s) {
      a = Neg(x)
      s = Shape(x)
      r = Reshape(a, s)
      b = If (c) <then_branch = yes () => (float[N] t) { t = Abs(r) },
                  else_branch = no () => (float[N] e) { e = Neg(r) }>
      y = Sqrt(b)
    })",
                                    std::move(options));
  Collector collector;
  RunOptions run;
  run.observer = &collector;
  session->run({{"x", vector_of({4, 9})}, {"c", Tensor::scalar(true)}}, run);
  CHECK(collector.names == std::vector<std::string>{"a", "s", "r", "t", "b", "y"});
  CHECK(floats(collector.values[0]) == std::vector<float>{-4, -9});
  CHECK(integers(collector.values[1]) == std::vector<std::int64_t>{2});
  CHECK(floats(collector.values[5]) == std::vector<float>{2, 3});
}

TEST_CASE("Shapes that come and go keep the number of plans and the memory bounded") {
  MemoryCap cap;
  SessionOptions options = cpu_options(nullptr, &cap);
  options.plan_cache_bytes = 64 << 10;
  const auto session = make_session(positives, std::move(options));
  std::int64_t after_first = 0;
  for (std::int64_t size = 1; size <= 400; ++size) {
    session->run({{"x", random_tensor(Shape{size}, static_cast<unsigned>(size))}}, {});
    if (size == 200) after_first = cap.used_bytes();
  }
  CHECK(cap.used_bytes() <= 2 * after_first + (64 << 10));
}

TEST_CASE("Eight threads with 1000 runs each of a model with control flow give the serial bits") {
  const unsigned seed = 11;
  INFO("seed " << seed);
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x, int64 n) => (float[N] y, int64[1,M] places) <bool yes = {1}, float half = {0.5}> {
      y = Loop (n, yes, x) <
        body = f (int64 i, bool c, float[N] a) => (bool c1, float[N] a1) {
          c1 = Identity(c)
          b = Mul(a, half)
          a1 = Add(b, x)
        }>
      big = Greater(y, half)
      places = NonZero(big)
    })");
  std::vector<NamedValues> inputs;
  std::vector<std::vector<RunValue>> expected;
  for (std::int64_t i = 1; i <= 5; ++i) {
    inputs.push_back({{"x", random_tensor(Shape{i * 3}, seed + static_cast<unsigned>(i))},
                      {"n", Tensor::scalar(i)}});
    expected.push_back(session->run(inputs.back(), {}));
  }
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t round = 0; round < 1000; ++round) {
        const std::size_t which = (thread * 3 + round) % inputs.size();
        const auto outputs = session->run(inputs[which], {});
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          if (!same_bits(outputs[i].tensor(), expected[which][i].tensor())) ++different;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(different == 0);
}
