// Inputs that share a symbol but differ in size: runs compute as if the symbol were not shared.
#include "libcore/runtime/shared_symbols.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

/// An Expand that does nothing if both sizes are equal.
constexpr std::string_view expands = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[n] x, float[n] z) => (float[n] y) { s = Shape(z) a = Expand(x, s) y = Neg(a) })";

std::unique_ptr<Session> session_at(OptimizeLevel level, std::string_view text) {
  SessionOptions options = cpu_options();
  options.optimize = level;
  return make_session(text, std::move(options));
}

constexpr OptimizeLevel levels[] = {OptimizeLevel::none, OptimizeLevel::basic,
                                    OptimizeLevel::extended, OptimizeLevel::all};

bool hold(std::string_view text, std::vector<RunValue> given) {
  return SharedSymbols(*parse_model(text)->graph).hold_for(given);
}

}  // namespace

TEST_CASE("Inputs that share a symbol may be given other sizes at every level") {
  for (const OptimizeLevel level : levels) {
    INFO(static_cast<int>(level));
    const auto session = session_at(level, expands);
    for (int i = 0; i < 2; ++i) {
      const auto same = session->run({{"x", vector_of({1, 2})}, {"z", vector_of({3, 4})}}, {});
      CHECK(floats(same[0]) == std::vector<float>{-1, -2});
      const auto other = session->run({{"x", vector_of({1})}, {"z", vector_of({0, 0, 0, 0})}}, {});
      CHECK(floats(other[0]) == std::vector<float>{-1, -1, -1, -1});
    }
    CHECK_THROWS_AS(session->run({{"x", vector_of({1, 2})}, {"z", vector_of({0, 0, 0})}}, {}),
                    Error);
  }
}

TEST_CASE("A symbol that a sequence has may stand for other sizes in its elements") {
  for (const OptimizeLevel level : levels) {
    INFO(static_cast<int>(level));
    const auto session = session_at(level, R"(
      <ir_version: 8, opset_import: ["" : 17]>
      g (seq(float[n]) q) => (float[n] y) <int64 i = {0}, int64 j = {1}> {
        x = SequenceAt(q, i) z = SequenceAt(q, j) s = Shape(z) a = Expand(x, s) y = Neg(a)
      })");
    const auto outputs =
        session->run({{"q", RunValue::sequence({vector_of({1}), vector_of({0, 0, 0})})}}, {});
    CHECK(floats(outputs[0]) == std::vector<float>{-1, -1, -1});
  }
}

TEST_CASE("What a body captures is computed as if its dimensions had nothing in common") {
  for (const OptimizeLevel level : levels) {
    INFO(static_cast<int>(level));
    const auto session = session_at(level, R"(
      <ir_version: 8, opset_import: ["" : 17]>
      g (float[n] x, float[n] z, bool c) => (float[n] y) {
        y = If (c) <then_branch = t () => (float[n] u) { s = Shape(z) a = Expand(x, s) u = Neg(a) },
                    else_branch = e () => (float[n] v) { v = Abs(x) }>
      })");
    const auto outputs = session->run(
        {{"x", vector_of({1})}, {"z", vector_of({0, 0})}, {"c", RunValue(Tensor::scalar(true))}},
        {});
    CHECK(floats(outputs[0]) == std::vector<float>{-1, -1});
  }
}

TEST_CASE("Symbols hold where each stands for one size") {
  const RunValue two = vector_of({1, 2});
  const RunValue three = vector_of({1, 2, 3});
  CHECK(hold(expands, {two, two}));
  CHECK_FALSE(hold(expands, {two, three}));
  constexpr std::string_view apart = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[n] x, float[m] z, float["?"] v, float["?"] w) => (float[n] y) { y = Neg(x) })";
  CHECK(SharedSymbols(*parse_model(apart)->graph).is_empty());
  constexpr std::string_view square = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[n, 2, n] x) => (float[n, 2, n] y) { y = Neg(x) })";
  CHECK(hold(square, {random_tensor(Shape{3, 2, 3}, 1)}));
  CHECK_FALSE(hold(square, {random_tensor(Shape{3, 2, 4}, 1)}));
}

TEST_CASE("Equal symbols that the file declares of inner values do not stand for equal sizes") {
  constexpr std::string_view compressed = R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[n] x, bool[k] c, bool[l] d) => (y, z)
    <float[n] t, float[m] u, float[m] v> {
      t = Compress <axis = 0> (x, c)
      u = Compress <axis = 0> (x, c)
      v = Compress <axis = 0> (x, d)
      sx = Shape (x)
      y = Expand (t, sx)
      sv = Shape (v)
      z = Expand (u, sv)
    })";
  const Tensor one = Tensor::of<bool>(Shape{2}, {true, false});
  const Tensor two = Tensor::of<bool>(Shape{2}, {true, true});
  const NamedValues given = {{"x", vector_of({1, 2})}, {"c", one}, {"d", two}};
  for (const OptimizeLevel level : levels) {
    const std::vector<RunValue> outputs = session_at(level, compressed)->run(given, {});
    CHECK(floats(outputs[0]) == std::vector<float>{1, 1});
    CHECK(floats(outputs[1]) == std::vector<float>{1, 1});
  }
}

TEST_CASE("A run that is stopped while symbols are given up leaves the session as it was") {
  const auto session = session_at(OptimizeLevel::all, expands);
  StopToken stop;
  stop.request(ErrorCode::interrupted);
  const NamedValues given = {{"x", vector_of({1})}, {"z", vector_of({0, 0})}};
  CHECK_THROWS_AS(session->run(given, {.stop = &stop}), Error);
  CHECK(floats(session->run(given, {})[0]) == std::vector<float>{-1, -1});
}
