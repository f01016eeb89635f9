// Run-time operands that determine shapes: each run checks its own against the input.
#include <limits>

#include <catch2/catch.hpp>

#include "libcore/provider/check_view.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

Tensor run(Session& session, const Tensor& x, const Tensor& operand) {
  return session.run({{"x", x}, {"a", operand}}, {})[0].tensor();
}

}  // namespace

TEST_CASE("Axes of a Squeeze are checked in every run of a session, whatever ran before") {
  const auto session = make_session(R"(
    <ir_version: 9, opset_import: ["" : 18]>
    g (float[n, m] x, int64[k] a) => (float[] y) { b = Neg(x) y = Squeeze(b, a) })");
  const Tensor row = Tensor::of<float>(Shape{1, 2}, {3, 4});
  const Tensor column = Tensor::of<float>(Shape{2, 1}, {5, 6});
  const Tensor one = Tensor::of<float>(Shape{1, 1}, {7});
  CHECK(floats(run(*session, row, integers_of({0}))) == std::vector<float>{-3, -4});
  CHECK_THROWS_AS(run(*session, row, integers_of({1})), Error);
  CHECK(run(*session, row, integers_of({-2})).shape() == Shape{2});
  CHECK(run(*session, column, integers_of({1})).shape() == Shape{2});
  CHECK(run(*session, one, integers_of({0, 1})).shape() == Shape{});
  CHECK_THROWS_AS(run(*session, row, integers_of({0, 1})), Error);
  CHECK_THROWS_AS(run(*session, one, integers_of({0, 2})), Error);
}

TEST_CASE("An axis that a Squeeze is given twice goes once at every level") {
  for (const OptimizeLevel level : {OptimizeLevel::none, OptimizeLevel::all}) {
    SessionOptions options = cpu_options();
    options.optimize = level;
    const auto session = make_session(R"(
      <ir_version: 9, opset_import: ["" : 18]>
      g (float[1, 1, 1, 2] x, int64[3] a) => (float[] y) <int64[1] flat = {-1}>
      { b = Squeeze(x, a) y = Reshape(b, flat) })",
                                      options);
    const Tensor x = Tensor::of<float>(Shape{1, 1, 1, 2}, {3, 4});
    CHECK(run(*session, x, integers_of({-2, -3, -2})).shape() == Shape{2});
  }
}

TEST_CASE("One size of a Reshape is checked though it could be worked out") {
  const auto session = make_session(R"(
    <ir_version: 9, opset_import: ["" : 18]>
    g (float[4, 3] x, int64[k] a) => (float[] y) { y = Reshape(x, a) })");
  const Tensor x = random_tensor(Shape{4, 3}, 1);
  CHECK(run(*session, x, integers_of({12})).shape() == Shape{12});
  CHECK(run(*session, x, integers_of({-1})).shape() == Shape{12});
  CHECK_THROWS_AS(run(*session, x, integers_of({11})), Error);
  CHECK(run(*session, x, integers_of({2, 6})).shape() == Shape{2, 6});
  CHECK_THROWS_AS(run(*session, x, integers_of({2, 7})), Error);
}

TEST_CASE("Identity asks for no content: plans do not end before it") {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  const auto session = make_session(R"(
    <ir_version: 9, opset_import: ["" : 18]>
    g (float[n] x) => (float[n] y) { b = Neg(x) c = Identity(b) y = Neg(c) })",
                                    options);
  const Tensor x = random_tensor(Shape{100000}, 1);
  CHECK(floats(session->run({{"x", x}}, {})[0].tensor()) == floats(x));
  CHECK(session->plan_count() == 1);
}

TEST_CASE("The least int64 keeps its value where known integers are carried on") {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  const auto session = make_session(R"(
    <ir_version: 9, opset_import: ["" : 18]>
    g () => (int64[1] y, int64[1] z) <int64[1] k = {-9223372036854775808}> {
      y = Identity(k) z = Neg(k) })",
                                    options);
  const auto outputs = session->run({}, {});
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  CHECK(integers(outputs[0]) == std::vector<std::int64_t>{least});
  CHECK(integers(outputs[1]) == std::vector<std::int64_t>{least});
}

TEST_CASE("A view never reaches beyond the bytes of its input") {
  const Operand input = {DataType::float32, Shape{6}, nullptr};
  CHECK_NOTHROW(
      check_view({.input = 0, .offset_bytes = 8}, input, {DataType::float32, Shape{4}, {}}));
  CHECK_THROWS_AS(
      check_view({.input = 0, .offset_bytes = 8}, input, {DataType::float32, Shape{5}, {}}), Error);
  CHECK_THROWS_AS(
      check_view({.input = 0, .offset_bytes = -4}, input, {DataType::float32, Shape{1}, {}}),
      Error);
  const Operand nothing = {DataType::float64, Shape{0}, nullptr};
  CHECK_THROWS_AS(check_view({}, nothing, {DataType::float64, Shape{}, {}}), Error);
}

}  // namespace ortool
