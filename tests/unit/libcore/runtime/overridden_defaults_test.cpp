// Inputs with default values: constants, until a run gives them other values.
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

constexpr std::string_view scales = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[2] x, float[2] w = {2, 3}) => (float[2] y) { s = Mul(x, w) y = Neg(s) })";

constexpr OptimizeLevel levels[] = {OptimizeLevel::none, OptimizeLevel::basic,
                                    OptimizeLevel::extended, OptimizeLevel::all};

std::unique_ptr<Session> session_at(OptimizeLevel level, std::string_view text = scales) {
  SessionOptions options = cpu_options();
  options.optimize = level;
  return make_session(text, std::move(options));
}

std::vector<float> run(const Session& session, const NamedValues& given) {
  return floats(session.run(given, {})[0]);
}

}  // namespace

TEST_CASE("A default value holds until a run gives another one, at every level") {
  for (const OptimizeLevel level : levels) {
    INFO(static_cast<int>(level));
    const auto session = session_at(level);
    CHECK(session->inputs().size() == 1);
    for (int i = 0; i < 2; ++i) {
      CHECK(run(*session, {{"x", vector_of({1, 1})}}) == std::vector<float>{-2, -3});
      CHECK(run(*session, {{"x", vector_of({1, 1})}, {"w", vector_of({5, 7})}}) ==
            std::vector<float>{-5, -7});
    }
    CHECK_THROWS_WITH(session->run({{"x", vector_of({1, 1})}, {"w", vector_of({5, 7, 9})}}, {}),
                      Catch::Contains("'w'"));
  }
}

TEST_CASE("A session computes with default values as with constants") {
  const auto session = session_at(OptimizeLevel::all, R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1,1] x, float[1,1] a = {2}, float[1,1] b = {3}) => (float[1,1] y) {
      ab = MatMul(a, b) y = MatMul(x, ab)
    })");
  CHECK(session->placement().size() == 1);
  CHECK(run(*session, {{"x", vector_of({4}).reshaped(Shape{1, 1})}}) ==
        std::vector<float>{24});
  CHECK(run(*session, {{"x", vector_of({4}).reshaped(Shape{1, 1})},
                       {"a", vector_of({5}).reshaped(Shape{1, 1})}}) == std::vector<float>{60});
}

TEST_CASE("Skipping the pass keeps inputs with defaults as inputs") {
  SessionOptions options = cpu_options();
  options.skipped_passes = {"freeze-defaults"};
  const auto session = make_session(scales, std::move(options));
  CHECK(session->model().inputs().size() == 2);
  CHECK(run(*session, {{"x", vector_of({1, 1})}, {"w", vector_of({5, 7})}}) ==
        std::vector<float>{-5, -7});
}

TEST_CASE("Before IR 4 an initializer is no input whose value a run may give") {
  const auto session = session_at(OptimizeLevel::all, R"(
    <ir_version: 3, opset_import: ["" : 7]>
    g (float[2] x, float[2] w = {2, 3}) => (float[2] y) { y = Mul(x, w) })");
  CHECK_THROWS_WITH(session->run({{"x", vector_of({1, 1})}, {"w", vector_of({5, 7})}}, {}),
                    Catch::Contains("no input 'w'"));
}

TEST_CASE("Runs that share a symbol of several sizes may give defaults other values") {
  const auto session = session_at(OptimizeLevel::all, R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[n] x, float[n] z, float[1] w = {2}) => (float[n] y) {
      s = Shape(z) a = Expand(x, s) y = Mul(a, w)
    })");
  const NamedValues unlike = {{"x", vector_of({1})}, {"z", vector_of({0, 0})}};
  CHECK(run(*session, unlike) == std::vector<float>{2, 2});
  NamedValues both = unlike;
  both.emplace_back("w", vector_of({3}));
  CHECK(run(*session, both) == std::vector<float>{3, 3});
  CHECK(run(*session, unlike) == std::vector<float>{2, 2});
}

TEST_CASE("Several threads may give a default its first other value at the same time") {
  const auto session = session_at(OptimizeLevel::all);
  std::vector<std::vector<float>> results(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      const auto factor = static_cast<float>(i);
      results[i] = run(*session, {{"x", vector_of({1, 1})}, {"w", vector_of({factor, factor})}});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < results.size(); ++i)
    CHECK(results[i] == std::vector<float>(2, -static_cast<float>(i)));
}
