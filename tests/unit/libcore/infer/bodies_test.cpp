// Shape inference through If, Loop, Scan and functions: merged, iterated to a fixed point, bounded.
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/inferred_graph.hpp"

namespace ortool {
namespace {

TEST_CASE("branches that differ leave open what they differ in", "[infer]") {
  const auto model = inferred(R"(g (bool c, float[n, 4] x) => (y, z) {
    [choice] y, z = If (c) <
      then_branch = t () => (a, b) { a = Concat <axis = 0> (x, x)  b = Relu (x) },
      else_branch = e () => (a, b) { a = Relu (x)  b = Flatten <axis = 0> (x) }>
  })");
  CHECK(shape_of(*model, "y") == "? x 4");
  CHECK(cause_of(*model, "y") == "choice");
  CHECK(shape_of(*model, "z") == "? x ?");
}

TEST_CASE("branches of different rank leave no rank", "[infer]") {
  const auto model = inferred(R"(g (bool c, float[n, 4] x) => (y) <int64[1] minus = {-1}> {
    [choice] y = If (c) <then_branch = t () => (a) { a = Relu (x) },
                         else_branch = e () => (b) { b = Reshape (x, minus) }>
  })");
  CHECK(shape_of(*model, "y") == "unknown rank");
  CHECK(cause_of(*model, "y") == "choice");
}

TEST_CASE("a condition on shapes chooses the branch, whatever the other one says", "[infer]") {
  const auto model = inferred(R"(g (float[n, 4] x) => (y)
      <int64 two = {2}, int64[1] axis = {2}, int64 zero = {0}> {
    s = Shape (x)
    r = Size (s)
    is_two = Equal (r, two)
    y = If (is_two) <then_branch = t () => (a) { a = Relu (x) },
                     else_branch = e () => (b) { b = Squeeze (x, axis) }>
  })");
  CHECK(shape_of(*model, "y") == "n x 4");
}

TEST_CASE("a branch that cannot run with the shapes at hand is passed over", "[infer]") {
  const auto model = inferred(R"(g (bool c, float[3, 4] x) => (y) <int64[1] axis = {0}> {
    y = If (c) <then_branch = t () => (a) { a = Squeeze (x, axis) },
                else_branch = e () => (b) { b = Relu (x) }>
  })");
  CHECK(shape_of(*model, "y") == "3 x 4");
  CHECK_THROWS_AS(inferred(R"(g (bool c, float[3, 4] x) => (y) <int64[1] axis = {0}> {
    y = If (c) <then_branch = t () => (a) { a = Relu <slope = 1> (x) },
                else_branch = e () => (b) { b = Relu (x) }>
  })"),
                  Error);
}

TEST_CASE("shapes that a loop keeps stay, those that it changes are open", "[infer]") {
  const auto model =
      inferred(R"(g (int64 trips, bool go, float[n, 4] x, float[n, 4] w) => (a, b, c) {
    [again] a, b, c = Loop (trips, go, x, w) <
      body = l (int64 i, bool more, float[k, 4] s, float[r, 4] t) => (next, u, v, o) {
        next = Identity (more)
        u = Relu (s)
        v = Concat <axis = 0> (t, x)
        o = ReduceSum <keepdims = 0> (s)
      }>
  })");
  CHECK(shape_of(*model, "a") == "n x 4");
  CHECK(model->graph->find_value("b")->type().shape->size() == 2);
  CHECK(model->graph->find_value("b")->type().shape->front().cause() == "again");
  CHECK(shape_of(*model, "c") == "?");
  CHECK(cause_of(*model, "c") == "again");
}

TEST_CASE("sizes that a loop changes have names inside, one where they change alike", "[infer]") {
  const auto model = inferred(R"(g (bool go, float[n, 4] x, float[1, 4] row) => (a, b, c, d)
      <int64 trips = {3}> {
    [again] a, b, c, d = Loop (trips, go, x, x, x) <
      body = l (int64 i, bool more, float[p, 4] s, float[q, 4] t, float[r, 4] u) => (next, v, w, z, o) {
        next = Identity (more)
        v = Concat <axis = 0> (s, row)
        w = Concat <axis = 0> (row, t)
        z = Concat <axis = 0> (u, u)
        o = Add (s, t)
      }>
  })");
  const Graph& body = *model->graph->first_node()->subgraphs().front();
  for (int round = 0; round < 2; ++round) {
    CHECK(to_string(body.find_value("t")->type().shape) == "s_dim_0 x 4");
    CHECK(to_string(body.find_value("o")->type().shape) == "s_dim_0 x 4");
    CHECK(to_string(body.find_value("w")->type().shape) ==
          to_string(body.find_value("v")->type().shape));
    CHECK(to_string(body.find_value("u")->type().shape) == "u_dim_0 x 4");
    CHECK(shape_of(*model, "a") == "? x 4");
    CHECK(shape_of(*model, "c") == "? x 4");
    CHECK(shape_of(*model, "d") == "? x ? x 4");
    CHECK(cause_of(*model, "a") == "again");
    infer_shapes(*model);
  }
}

TEST_CASE("a loop with a known number of turns stacks as many results", "[infer]") {
  const std::string text = R"( => (a, c) <bool yes = {1}, int64 seven = {7}> {
    TRIPS
    a, c = Loop (trips, yes, x) <
      body = l (int64 i, bool more, float[p, q] s) => (next, u, o) {
        next = Identity (more)
        u = Relu (s)
        o = Relu (s)
      }>
  })";
  const auto with = [&](const std::string& trips) {
    std::string all = "g (float[n, 4] x)" + text;
    return all.replace(all.find("TRIPS"), 5, trips);
  };
  CHECK(shape_of(*inferred(with("trips = Identity (seven)")), "c") == "7 x n x 4");
  CHECK(shape_of(*inferred(with("trips = Size (x)")), "c") == "4*n x n x 4");
}

TEST_CASE("a scan takes axes apart and puts them together", "[infer]") {
  const auto model = inferred(R"(g (float[h] s, float[b, t, h] x) => (last, all) {
    last, all = Scan (s, x) <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [-1],
      body = l (float[h] a, float[b, h] e) => (n, o) {
        n = Identity (a)
        o = Add (e, a)
      }>
  })");
  CHECK(shape_of(*model, "last") == "h");
  CHECK(shape_of(*model, "all") == "b x h x t");
}

TEST_CASE("loops inside loops take bounded work", "[infer]") {
  // Each level changes its carried shape, so that every loop infers its body again.
  std::string body = "r0 = Concat <axis = 0> (s0, s0)";
  for (int depth = 1; depth < 25; ++depth) {
    const std::string d = std::to_string(depth);
    const std::string inner = std::to_string(depth - 1);
    body = "r" + d + " = Loop (m, , s" + d + ") <body = l (int64 i" + inner + ", bool c" + inner +
           ", float[] s" + inner + ") => (c" + inner + ", r" + inner + ") { " + body + " }>";
  }
  const auto model = inferred("g (int64 m, float[2] s24) => (r24) { " + body + " }");
  CHECK(model->graph->find_value("r24")->type().element == DataType::float32);
}

TEST_CASE("a function is inferred with the types and attributes of its call", "[infer]") {
  const auto model = inferred(R"(g (float[n, 4] x, float[m] w) => (y, z) {
    y = local.Join <axis = 1> (x, x)
    z = local.Join <axis = 0> (w, w)
  }
  <domain: "local", opset_import: ["": 18]>
  Join <axis> (a, b) => (c) {
    d = Concat <axis: int = @axis> (a, b)
    c = Relu (d)
  })",
                              ", \"local\": 1");
  CHECK(shape_of(*model, "y") == "n x 8");
  CHECK(shape_of(*model, "z") == "2*m");
}

TEST_CASE("functions that call twice on every level take linear work", "[infer]") {
  std::string functions;
  for (int level = 1; level <= 40; ++level) {
    const std::string below = std::to_string(level - 1);
    functions += "<domain: \"local\", opset_import: [\"\": 18, \"local\": 1]> F" +
                 std::to_string(level) + " (a) => (c) { b = local.F" + below + " (a) c = local.F" +
                 below + " (b) }\n";
  }
  functions += "<domain: \"local\", opset_import: [\"\": 18]> F0 (a) => (c) { c = Relu (a) }";
  const auto model =
      inferred("g (float[n, 4] x) => (y) { y = local.F40 (x) }\n" + functions, ", \"local\": 1");
  CHECK(shape_of(*model, "y") == "n x 4");
}

TEST_CASE("operators of unknown domains keep what the file declares", "[infer]") {
  const auto model = inferred(R"(g (float[n, 4] x) => (y, z) <float[n, 9] y> {
    [mine] y, z = acme.Magic (x)
    w = Relu (z)
  })",
                              ", \"acme\": 1");
  CHECK(shape_of(*model, "y") == "n x 9");
  CHECK(shape_of(*model, "z") == "unknown rank");
  CHECK(cause_of(*model, "z") == "mine");
}

TEST_CASE("bodies with the wrong number of inputs or outputs are refused", "[infer]") {
  CHECK_THROWS_AS(inferred(R"(g (bool c, float[n] x) => (y) {
    y = If (c) <then_branch = t () => (a, b) { a = Relu (x)  b = Relu (x) },
                else_branch = e () => (d) { d = Relu (x) }>
  })"),
                  Error);
  CHECK_THROWS_AS(inferred(R"(g (int64 m, float[n] x) => (y) {
    y = Loop (m, , x) <body = l (int64 i, bool c) => (c) { }>
  })"),
                  Error);
}

}  // namespace
}  // namespace ortool
