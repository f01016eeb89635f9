// If, Loop, Scan and SequenceMap in sessions.
#include "libcore/runtime/control_flow/control_flow.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/tensor/compare.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

Tensor boolean(bool value) {
  return Tensor::scalar(value);
}

}  // namespace

TEST_CASE(
    "If runs the branch that the condition chooses, with outer values and constants in sight") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (bool c, float[N] x) => (float[N] y) <float[1] two = {2}> {
      a = Neg(x)
      y = If (c) <
        then_branch = yes () => (float[N] t) { t = Mul(a, two) },
        else_branch = no () => (float[N] e) { e = Add(x, two) }>
    })");
  const Tensor x = vector_of({1, -3});
  CHECK(floats(session->run({{"c", boolean(true)}, {"x", x}}, {})[0]) == std::vector<float>{-2, 6});
  CHECK(floats(session->run({{"c", boolean(false)}, {"x", x}}, {})[0]) ==
        std::vector<float>{3, -1});
}

TEST_CASE("A branch may hand an outer value through, and branches may differ in shape") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (bool c, float[N] x) => (float[M] y, float[K] z) {
      a = Abs(x)
      b, z = If (c) <
        then_branch = yes () => (float[N] t, float[N] u) { t = Identity(a) u = Identity(x) },
        else_branch = no () => (float[L] e, float[N] f) { e = Concat <axis = 0> (a, a) f = Neg(x) }>
      y = Sqrt(b)
    })");
  const Tensor x = vector_of({4, -9});
  auto outputs = session->run({{"c", boolean(true)}, {"x", x}}, {});
  CHECK(floats(outputs[0]) == std::vector<float>{2, 3});
  CHECK(floats(outputs[1]) == std::vector<float>{4, -9});
  outputs = session->run({{"c", boolean(false)}, {"x", x}}, {});
  CHECK(floats(outputs[0]) == std::vector<float>{2, 3, 2, 3});
  CHECK(floats(outputs[1]) == std::vector<float>{-4, 9});
}

TEST_CASE("Branches whose attention was fused read their own captured values, in either order") {
  const auto text = [](std::string_view first, std::string_view second) {
    return std::string(R"(
    <ir_version: 9, opset_import: ["" : 18]>
    g (bool c, float[B,H,S,D] q, float[B,H,P,D] k, float[B,H,P,D] v, float[B,H,R,D] k2,
       float[B,H,R,D] v2) => (float[B,H,S,D] y) <float scale = {0.5}> { y = If (c) <)")
        .append(first)
        .append(", ")
        .append(second)
        .append("> }");
  };
  const std::string yes = R"(then_branch = yes () => (float[B,H,S,D] t) {
      kt = Transpose <perm = [0, 1, 3, 2]> (k) s = MatMul (q, kt) m = Mul (s, scale)
      a = Softmax <axis = -1> (m) t = MatMul (a, v) })";
  const std::string no = R"(else_branch = no () => (float[B,H,S,D] e) {
      n = Neg (q) kt2 = Transpose <perm = [0, 1, 3, 2]> (k2) s2 = MatMul (n, kt2)
      m2 = Mul (s2, scale) a2 = Softmax <axis = -1> (m2) e = MatMul (a2, v2) })";
  const NamedValues tensors = {{"q", random_tensor(Shape{1, 2, 3, 4}, 1)},
                               {"k", random_tensor(Shape{1, 2, 5, 4}, 2)},
                               {"v", random_tensor(Shape{1, 2, 5, 4}, 3)},
                               {"k2", random_tensor(Shape{1, 2, 6, 4}, 4)},
                               {"v2", random_tensor(Shape{1, 2, 6, 4}, 5)}};
  for (const std::string& model : {text(yes, no), text(no, yes)}) {
    SessionOptions as_written = cpu_options();
    as_written.optimize = OptimizeLevel::none;
    const auto expected = make_session(model, std::move(as_written));
    const auto fused = make_session(model);
    const auto& placement = fused->placement();
    CHECK(std::count_if(placement.begin(), placement.end(),
                        [](const Placement& each) { return each.op_type == "Attention"; }) == 2);
    for (const bool condition : {true, false}) {
      NamedValues inputs = tensors;
      inputs.emplace_back("c", boolean(condition));
      const std::vector<RunValue> found = fused->run(inputs, {});
      const std::vector<RunValue> wanted = expected->run(inputs, {});
      CHECK(compare(found[0].tensor(), wanted[0].tensor()).passed);
    }
  }
}

TEST_CASE("A condition of several elements is refused by name") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (bool[N] c, float x) => (float y) {
      y = If (c) <then_branch = yes () => (float t) { t = Neg(x) },
                  else_branch = no () => (float e) { e = Abs(x) }>
    })");
  const Tensor two = Tensor::of<bool>(Shape{2}, {true, true});
  CHECK_THROWS_WITH(
      session->run({{"c", two}, {"x", Tensor::scalar(1.0F)}}, {}),
      Catch::Contains("the condition is bool[2] (expected a boolean of one element)"));
}

namespace {

constexpr std::string_view counting_loop = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (int64 trips, bool go, float[N] x, float limit) => (float[N] last, float[T,N] all) <float one = {1}> {
    last, all = Loop (trips, go, x) <
      body = step (int64 i, bool c, float[N] state) => (bool again, float[N] next, float[N] seen) {
        next = Add(state, one)
        seen = Mul(next, next)
        total = ReduceSum <keepdims = 0> (next)
        again = Less(total, limit)
      }>
  })";

std::vector<RunValue> count(const Session& session, std::int64_t trips, bool go, float limit) {
  return session.run({{"trips", Tensor::scalar(trips)},
                      {"go", boolean(go)},
                      {"x", vector_of({0, 1})},
                      {"limit", Tensor::scalar(limit)}},
                     {});
}

}  // namespace

TEST_CASE("Loop ends by its trip count or its condition, and stacks what the body puts out") {
  const auto session = make_session(counting_loop);
  auto outputs = count(*session, 3, true, 1000);
  CHECK(floats(outputs[0]) == std::vector<float>{3, 4});
  CHECK(outputs[1].tensor().shape() == Shape{3, 2});
  CHECK(floats(outputs[1]) == std::vector<float>{1, 4, 4, 9, 9, 16});
  outputs = count(*session, 1000, true, 8);
  CHECK(floats(outputs[0]) == std::vector<float>{4, 5});
}

TEST_CASE("A Loop that never runs gives its initial values and stacks of nothing") {
  const auto session = make_session(counting_loop);
  for (const auto& [trips, go] : {std::pair<std::int64_t, bool>{0, true}, {-5, true}, {3, false}}) {
    const auto outputs = count(*session, trips, go, 1000);
    CHECK(floats(outputs[0]) == std::vector<float>{0, 1});
    CHECK(outputs[1].tensor().shape()[0] == 0);
  }
}

TEST_CASE("All iterations of a Loop share one plan of its body") {
  const auto session = make_session(counting_loop);
  count(*session, 2, true, 1e6F);
  const std::int64_t plans = session->plan_count();
  count(*session, 500, true, 1e6F);
  // One more plan for the main graph, whose stacked output has another length.
  CHECK(session->plan_count() == plans + 1);
}

TEST_CASE("Loops nest, and inner bodies see the values of all graphs around them") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (int64 n, float x) => (float y) <bool yes = {1}, float zero = {0}> {
      scale = Neg(x)
      y = Loop (n, yes, zero) <
        body = outer (int64 i, bool c, float a) => (bool c1, float a1) {
          c1 = Identity(c)
          step = Cast <to = 1> (i)
          a1 = Loop (n, c, a) <
            body = inner (int64 j, bool d, float b) => (bool d1, float b1) {
              d1 = Identity(d)
              scaled = Mul(scale, step)
              b1 = Add(b, scaled)
            }>
        }>
    })");
  // The sum over i and j below 4 of -x i is -x 4 (0 + 1 + 2 + 3).
  CHECK(floats(session->run({{"n", Tensor::scalar(std::int64_t{4})}, {"x", Tensor::scalar(0.5F)}},
                            {})[0]) == std::vector<float>{-12});
}

TEST_CASE("A carried value may change its shape from one iteration to the next") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (int64 n, float[N] x) => (float[M] y) <bool yes = {1}> {
      y = Loop (n, yes, x) <
        body = grow (int64 i, bool c, float[K] a) => (bool c1, float[L] a1) {
          c1 = Identity(c)
          a1 = Concat <axis = 0> (a, x)
        }>
    })");
  const auto y =
      session->run({{"n", Tensor::scalar(std::int64_t{3})}, {"x", vector_of({1, 2})}}, {})[0];
  CHECK(floats(y) == std::vector<float>{1, 2, 1, 2, 1, 2, 1, 2});
}

TEST_CASE("Slices that a body scans out must keep their shape") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (int64 n, float[N] x) => (float[M] y, float[T,K] all) <bool yes = {1}> {
      y, all = Loop (n, yes, x) <
        body = grow (int64 i, bool c, float[K] a) => (bool c1, float[L] a1, float[L] seen) {
          c1 = Identity(c)
          a1 = Concat <axis = 0> (a, x)
          seen = Identity(a1)
        }>
    })");
  CHECK_THROWS_WITH(
      session->run({{"n", Tensor::scalar(std::int64_t{3})}, {"x", vector_of({1, 2})}}, {}),
      Catch::Contains("a scanned output is float32[6] in iteration 1 (expected float32[4]"));
}

TEST_CASE("Scan walks along any axis in either direction") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N] start, float[N,T] x) => (float[N] sum, float[N,T] sums) {
      sum, sums = Scan (start, x) <
        num_scan_inputs = 1, scan_input_axes = [1], scan_input_directions = [1],
        scan_output_axes = [1], scan_output_directions = [1],
        body = step (float[N] state, float[N] slice) => (float[N] next, float[N] out) {
          next = Add(state, slice)
          out = Identity(next)
        }>
    })");
  const auto outputs = session->run(
      {{"start", vector_of({0, 10})}, {"x", Tensor::of<float>(Shape{2, 3}, {1, 2, 3, 4, 5, 6})}},
      {});
  CHECK(floats(outputs[0]) == std::vector<float>{6, 25});
  CHECK(outputs[1].tensor().shape() == Shape{2, 3});
  CHECK(floats(outputs[1]) == std::vector<float>{6, 5, 3, 25, 21, 16});
}

TEST_CASE("Scan of opset 8 runs each batch for as many slices as its length says") {
  const auto session = make_session(R"(
    <ir_version: 3, opset_import: ["" : 8]>
    g (int64[B] lengths, float[B,N] start, float[B,T,N] x) => (float[B,N] sum, float[B,T,N] sums) {
      sum, sums = Scan (lengths, start, x) <
        num_scan_inputs = 1,
        body = step (float[N] state, float[N] slice) => (float[N] next, float[N] out) {
          next = Add(state, slice)
          out = Identity(next)
        }>
    })");
  const auto outputs = session->run({{"lengths", integers_of({2, 2})},
                                     {"start", Tensor::of<float>(Shape{2, 1}, {0, 100})},
                                     {"x", Tensor::of<float>(Shape{2, 2, 1}, {1, 2, 3, 4})}},
                                    {});
  CHECK(floats(outputs[0]) == std::vector<float>{3, 107});
  CHECK(floats(outputs[1]) == std::vector<float>{1, 3, 103, 107});
}

TEST_CASE("SequenceMap applies its body to each element") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (seq(float[N]) xs, float[1] k) => (seq(float[M]) ys) {
      ys = SequenceMap (xs, k) <
        body = f (float[N] x, float[1] factor) => (float[N] y) { y = Mul(x, factor) }>
    })");
  const RunValue xs = RunValue::sequence({vector_of({1, 2}), vector_of({3})});
  const auto ys = session->run({{"xs", xs}, {"k", vector_of({10})}}, {})[0];
  REQUIRE(ys.elements().size() == 2);
  CHECK(floats(ys.elements()[0]) == std::vector<float>{10, 20});
  CHECK(floats(ys.elements()[1]) == std::vector<float>{30});
}

TEST_CASE("A body with the wrong number of inputs is an error that names the node") {
  CHECK_THROWS_WITH(make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (int64 n, float x) => (float y) <bool yes = {1}> {
      y = Loop (n, yes, x) <body = f (int64 i, bool c) => (bool c1, float a) {
        c1 = Identity(c)
        a = Cast <to = 1> (i)
      }>
    })"),
                    Catch::Contains("Loop"));
}
