// Inferred shapes as formulas: through values, slices and windows, and from declared types.
#include "libcore/infer/infer_shapes.hpp"

#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/inferred_graph.hpp"

namespace ortool {
namespace {

TEST_CASE("sizes taken out of a shape come back as formulas", "[infer]") {
  const auto model = inferred(R"(g (float[batch, seq, 768] x) => (y, flat, twice, back)
      <int64 zero = {0}, int64[1] minus = {-1}, int64 two = {2}, int64[1] axis = {0}> {
    s = Shape (x)
    b = Gather (s, zero)
    double = Mul (b, two)
    rows = Unsqueeze (double, axis)
    half = Constant <value_ints = [384]> ()
    wanted = Concat <axis = 0> (rows, minus, half)
    y = Reshape (x, wanted)
    flat_shape = Concat <axis = 0> (minus)
    flat = Reshape (x, flat_shape)
    twice = Concat <axis = 1> (x, x)
    n = Constant <value_ints = [-1, 12, 64]> ()
    back = Reshape (x, n)
  })");
  CHECK(shape_of(*model, "y") == "2*batch x seq x 384");
  CHECK(shape_of(*model, "flat") == "768*batch*seq");
  CHECK(shape_of(*model, "twice") == "batch x 2*seq x 768");
  CHECK(shape_of(*model, "back") == "batch*seq x 12 x 64");
}

TEST_CASE("slices of symbolic sizes are formulas", "[infer]") {
  const auto model = inferred(R"(g (float[n, 8] x, float[past, 8] p) => (a, b, c, d, e)
      <int64[1] one = {1}, int64[1] end = {9223372036854775807}, int64[1] axis = {0},
       int64[1] last = {-1}, int64[1] two = {2}, int64[1] begin = {0}, int64[1] first = {-9223372036854775807},
       int64[1] most = {5}> {
    a = Slice (x, one, end, axis)
    b = Slice (x, last, end, axis)
    c = Slice (x, begin, end, axis, two)
    d = Slice (x, begin, most, axis)
    all = Concat <axis = 0> (p, x)
    sp = Shape (p)
    from = Slice (sp, begin, one, begin)
    e = Slice (all, from, end, axis)
    f = Slice (x, last, first, axis, last)
  })");
  CHECK(shape_of(*model, "a") == "max(n - 1, 0) x 8");
  CHECK(shape_of(*model, "b") == "min(n, 1) x 8");
  CHECK(shape_of(*model, "c") == "ceil(n/2) x 8");
  CHECK(shape_of(*model, "d") == "min(n, 5) x 8");
  CHECK(shape_of(*model, "e") == "n x 8");
  CHECK(shape_of(*model, "f") == "n x 8");
}

TEST_CASE("negative values, comparisons and choices are followed", "[infer]") {
  const auto model = inferred(R"(g (float[n, 1] x) => (y, z)
      <int64[2] wanted = {-1, 3}, int64[1] one = {1}, int64[1] minus = {-1}, int64[1] three = {3}> {
    rank = Shape (wanted)
    ones = ConstantOfShape <value = int64[1] {1}> (rank)
    marks = Mul (ones, minus)
    open = Equal (wanted, marks)
    sizes = Where (open, ones, wanted)
    y = Expand (x, sizes)
    bound = Neg (three)
    back = Sub (bound, minus)
    kept = Max (back, one)
    z = ConstantOfShape (kept)
  })");
  CHECK(shape_of(*model, "y") == "n x 3");
  CHECK(shape_of(*model, "z") == "1");
}

TEST_CASE("sizes that go through floating-point numbers come back", "[infer]") {
  const auto model = inferred(R"(g (float[1, 3, h, w] x) => (y, z, odd)
      <int64[1] two = {2}, int64[1] four = {4}, float[1] half = {0.5}, float[1] long = {0.7}> {
    s = Shape (x)
    hw = Slice (s, two, four)
    f = Cast <to = 1> (hw)
    scaled = Mul (f, half)
    down = Floor (scaled)
    sizes = Cast <to = 7> (down)
    y = ConstantOfShape (sizes)
    up = Ceil (scaled)
    more = Cast <to = 7> (up)
    z = ConstantOfShape (more)
    lost = Mul (f, long)
    cut = Cast <to = 7> (lost)
    [odd_sizes] odd = ConstantOfShape (cut)
  })");
  CHECK(shape_of(*model, "y") == "floor(h/2) x floor(w/2)");
  CHECK(shape_of(*model, "z") == "ceil(h/2) x ceil(w/2)");
  CHECK(shape_of(*model, "odd") == "? x ?");
  CHECK(cause_of(*model, "odd") == "odd_sizes");
}

TEST_CASE("values of rank 2 are followed too", "[infer]") {
  // How PyTorch reverses its pads.
  const auto model = inferred(R"(g (float[n] x) => (y)
      <int64[2] pairs = {-1, 2}, int64[1] zero = {0}, int64[1] minus = {-1},
       int64[1] first = {-9223372036854775807}, int64[6] pads = {1, 2, 3, 4, 5, 6}> {
    table = Reshape (pads, pairs)
    turned = Slice (table, minus, first, zero, minus)
    swapped = Transpose <perm = [1, 0]> (turned)
    row = Reshape (swapped, minus)
    y = ConstantOfShape (row)
  })");
  CHECK(shape_of(*model, "y") == "5 x 3 x 1 x 6 x 4 x 2");
}

TEST_CASE("an unknown dimension names the node that data decides for", "[infer]") {
  const auto model = inferred(R"(g (float[n, 4] x, int64[1] k, int64[k_count] sizes) => (y, z)
      <int64 zero = {0}> {
    [cut] first = ConstantOfShape (k)
    s = Shape (first)
    row = ConstantOfShape (s)
    y = Relu (row)
    [free] z = Reshape (x, sizes)
    tail = Relu (z)
  })");
  CHECK(shape_of(*model, "y") == "?");
  CHECK(cause_of(*model, "y") == "cut");
  CHECK(shape_of(*model, "tail") == "unknown rank");
  CHECK(cause_of(*model, "tail") == "free");
}

TEST_CASE("what the file declares fills what cannot be known, and never wins", "[infer]") {
  const auto model = inferred(R"(g (float[n, 4] x, int64[2] sizes) => (float[rows, 2] z, y)
      <float[7, 4] y> {
    [free] z = Reshape (x, sizes)
    y = Relu (x)
    w = Relu (z)
  })");
  CHECK(shape_of(*model, "z") == "rows x 2");
  const Dimension rows = model->graph->find_value("w")->type().shape->front();
  CHECK(rows.symbol() == "rows");
  CHECK(rows.cause() == "free");
  CHECK(shape_of(*model, "y") == "n x 4");
  CHECK(model->warnings.empty());
}

TEST_CASE("a symbol that the file declares is believed of one dimension only", "[infer]") {
  const auto model = inferred(R"(g (float[n] x, bool[k] c, bool[l] d) => (v, w)
      <float[n] t, float[m] u, float[m] v> {
    t = Compress <axis = 0> (x, c)
    u = Compress <axis = 0> (x, c)
    v = Compress <axis = 0> (x, d)
    w = Relu (u)
  })");
  CHECK(shape_of(*model, "t") == "?");
  CHECK(shape_of(*model, "u") == "m");
  CHECK(shape_of(*model, "v") == "?");
  CHECK(shape_of(*model, "w") == "m");
  CHECK(model->warnings.empty());
}

TEST_CASE("a declared shape that contradicts gives one warning", "[infer]") {
  auto model = parse_model(R"(<ir_version: 8, opset_import: ["": 18]>
      g (float[3, 4] x) => (y) <float[7, 4] y> { y = Relu (x) })");
  infer_shapes(*model);
  CHECK(shape_of(*model, "y") == "3 x 4");
  CHECK(model->warnings.size() == 1);
}

TEST_CASE("fixed inputs leave numbers only", "[infer]") {
  auto model = parse_model(R"(<ir_version: 8, opset_import: ["": 18]>
      g (float[batch, seq] x) => (y) <int64[1] minus = {-1}> { y = Reshape (x, minus) })");
  fix_dimension(*model, "batch", 2);
  fix_dimension(*model, "seq", 5);
  infer_shapes(*model);
  CHECK(shape_of(*model, "y") == "10");
}

TEST_CASE("sizes below zero are errors, not shapes", "[infer]") {
  CHECK_THROWS_AS(inferred(R"(g (float[3] x) => (y) <int64[1] minus = {-2}> {
    y = ConstantOfShape (minus)
  })"),
                  Error);
}

TEST_CASE("a long chain is inferred in linear time", "[infer]") {
  Graph graph("long");
  auto model = std::make_unique<Model>();
  model->graph = std::make_unique<Graph>("long");
  model->graph->set_opsets({{"", 18}});
  Value* last = &model->graph->add_input(
      "x", ValueType::tensor(DataType::float32, Dimensions{Dimension::symbol("n"), 4}));
  for (int i = 0; i < 20000; ++i) {
    Value& next = model->graph->add_value({});
    Value* inputs[] = {last, last};
    Value* outputs[] = {&next};
    model->graph->add_node("Add", "", inputs, outputs);
    last = &next;
  }
  infer_shapes(*model);
  CHECK(to_string(last->type().shape) == "n x 4");
}

}  // namespace
}  // namespace ortool
