// Differences between models: which ones count, and that exactly the change is reported.
#include "libcore/graph/diff.hpp"

#include <catch2/catch.hpp>

#include "libcore/ops/attribute_default.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/text/parse.hpp"

using ortool::diff_models;
using ortool::DiffOptions;
using ortool::Model;
using ortool::ModelDiff;

namespace {

constexpr const char* header = "<ir_version: 9, opset_import: [\"\": 17]>\n";

std::unique_ptr<Model> model(const std::string& graph) {
  return ortool::parse_model(header + graph);
}

/// Keeps the models alive that the diff points into.
struct Compared {
  std::unique_ptr<Model> before;
  std::unique_ptr<Model> after;
  ModelDiff diff;
};

Compared compare(const std::string& before, const std::string& after, DiffOptions options = {}) {
  options.is_commutative = [](const ortool::Node& node) {
    return has_trait(node, ortool::OpTrait::commutative);
  };
  Compared result{model(before), model(after), {}};
  result.diff = diff_models(*result.before, *result.after, options);
  return result;
}

const std::string base = R"(g (float[2, 2] x) => (float[2, 2] y) <float[2, 2] w = {1, 2, 3, 4}> {
  [first] a = MatMul (x, w)
  [left] l = Relu (a)
  [right] r = Sigmoid (a)
  [last] y = Sub (l, r)
})";

}  // namespace

TEST_CASE("A model under other names and in another order is the same") {
  const Compared same = compare(base, R"(h (float[2, 2] in) => (float[2, 2] out)
    <float[2, 2] weights = {1, 2, 3, 4}> {
      [n0] q = MatMul (in, weights)
      [n1] s = Sigmoid (q)
      [n2] t = Relu (q)
      [n3] out = Sub (t, s)
    })");
  CHECK_FALSE(same.diff.is_different());
  CHECK(same.diff.matched_nodes == 4);
  CHECK(same.diff.renamed_nodes.size() == 4);
  CHECK(same.diff.renamed_values.size() == 2);
  CHECK(same.diff.renamed_inner_values == 4);
  CHECK(same.diff.reordered_nodes == 1);
}

TEST_CASE("Inputs that changed places count, save where the operator does not mind") {
  const Compared swapped = compare(base, R"(g (float[2, 2] x) => (float[2, 2] y)
    <float[2, 2] w = {1, 2, 3, 4}> {
      a = MatMul (x, w)
      l = Relu (a)
      r = Sigmoid (a)
      y = Sub (r, l)
    })");
  REQUIRE(swapped.diff.changed.size() == 1);
  CHECK(swapped.diff.changed[0].changes.size() == 2);
  CHECK(swapped.diff.changed[0].changes[0].field == "input 0");
  CHECK_FALSE(compare("g (float[2] x) => (float[2] y) { a = Neg (x)\n y = Add (a, x) }",
                      "g (float[2] x) => (float[2] y) { a = Neg (x)\n y = Add (x, a) }")
                  .diff.is_different());
}

TEST_CASE("A changed number is reported with how far the tensor moved") {
  const std::string other = R"(g (float[2, 2] x) => (float[2, 2] y)
    <float[2, 2] w = {1, 2, 3, 6}> {
      a = MatMul (x, w)
      l = Relu (a)
      r = Sigmoid (a)
      y = Sub (l, r)
    })";
  const Compared changed = compare(base, other);
  CHECK(changed.diff.changed.empty());
  CHECK(changed.diff.added.empty());
  REQUIRE(changed.diff.weights.size() == 1);
  REQUIRE(changed.diff.weights[0].delta);
  CHECK(changed.diff.weights[0].delta->changed == 1);
  CHECK(changed.diff.weights[0].delta->max_abs == 2);
  CHECK(changed.diff.weights[0].delta->mean_abs == 0.5);
  CHECK(changed.diff.weights[0].delta->relative == Approx(2 / std::sqrt(30.0)));
  DiffOptions no_weights;
  no_weights.reads_weights = false;
  CHECK_FALSE(compare(base, other, no_weights).diff.is_different());
}

TEST_CASE("A node that was put in between is all that is reported") {
  const Compared inserted = compare(base, R"(g (float[2, 2] x) => (float[2, 2] y)
    <float[2, 2] w = {1, 2, 3, 4}> {
      a = MatMul (x, w)
      new = Relu (a)
      l = Relu (new)
      r = Sigmoid (a)
      y = Sub (l, r)
    })");
  CHECK(inserted.diff.added.size() == 1);
  CHECK(inserted.diff.removed.empty());
  CHECK(inserted.diff.changed.empty());
  CHECK(inserted.diff.weights.empty());
}

TEST_CASE("An operator in the place of another is one changed node") {
  const Compared replaced = compare(base, R"(g (float[2, 2] x) => (float[2, 2] y)
    <float[2, 2] w = {1, 2, 3, 4}> {
      b = MatMul (x, w)
      m = Elu <alpha = 0.5> (b)
      s = Sigmoid (b)
      y = Sub (m, s)
    })");
  REQUIRE(replaced.diff.changed.size() == 1);
  CHECK(replaced.diff.added.empty());
  REQUIRE(replaced.diff.changed[0].changes.size() == 2);
  CHECK(replaced.diff.changed[0].changes[0].before == "Relu");
  CHECK(replaced.diff.changed[0].changes[0].after == "Elu");
  CHECK(replaced.diff.changed[0].changes[1].field == "attribute alpha");
}

TEST_CASE("How a tensor is stored does not count") {
  const Compared constant = compare(
      "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { a = Mul (x, w)\n y = Sub (a, w) }",
      R"(g (float[2] x) => (float[2] y) <float[2] other = {1, 2}> {
        w = Constant <value = float[2] {1, 2}> ()
        a = Mul (x, w)
        y = Sub (a, other)
      })");
  CHECK_FALSE(constant.diff.is_different());
}

TEST_CASE("Changes inside of subgraphs and functions are found where they are") {
  const auto with_branch = [](const std::string& op_type) {
    return "g (bool c, float[2] x) => (float[2] y) {\n"
           "  [choose] y = If <then_branch = t () => (float[2] p) { p = " +
           op_type + " (x) }, else_branch = e () => (float[2] q) { q = Neg (x) }> (c)\n}";
  };
  CHECK_FALSE(compare(with_branch("Abs"), with_branch("Abs")).diff.is_different());
  const Compared branch = compare(with_branch("Abs"), with_branch("Relu"));
  REQUIRE(branch.diff.changed.size() == 1);
  CHECK(branch.diff.changed[0].place == "then_branch of 'choose'");

  const auto with_function = [](const std::string& op_type) {
    return "<ir_version: 9, opset_import: [\"\": 17, \"my\": 1]>\n"
           "g (float[2] x) => (float[2] y) { y = my.twice (x) }\n"
           "<domain: \"my\", opset_import: [\"\": 17]> twice (v) => (w) { w = " +
           op_type + " (v, v) }";
  };
  const auto before = ortool::parse_model(with_function("Add"));
  const auto after = ortool::parse_model(with_function("Mul"));
  const ModelDiff diff = diff_models(*before, *after);
  REQUIRE(diff.changed.size() == 1);
  CHECK(diff.changed[0].place == "function 'my.twice'");
}

TEST_CASE("Inputs, outputs, opsets and metadata count, the producer does not") {
  const Compared interface = compare("g (float[2] x) => (float[2] y) { y = Neg (x) }",
                                     "g (float[3] x, float z) => (float[3] y) { y = Neg (x) }");
  CHECK(interface.diff.values.size() == 3);
  const auto before = model(base);
  const auto after = model(base);
  after->producer_name = "someone else";
  CHECK(diff_models(*before, *after).header.size() == 1);
  CHECK_FALSE(diff_models(*before, *after).is_different());
  after->metadata.emplace_back("classes", "cat, dog");
  CHECK(diff_models(*before, *after).metadata.size() == 1);
  const auto newer = ortool::parse_model("<ir_version: 9, opset_import: [\"\": 18]>\n" + base);
  REQUIRE(diff_models(*before, *newer).opsets.size() == 1);
  CHECK(diff_models(*before, *newer).opsets[0].after == "18");
}

TEST_CASE("An output that another node makes is reported") {
  const Compared rewired =
      compare("g (float[2] x) => (float[2] y, float[2] z) { y = Neg (x)\n z = Abs (x) }",
              "g (float[2] x) => (float[2] y, float[2] z) { z = Neg (x)\n y = Abs (x) }");
  CHECK(rewired.diff.is_different());
}

TEST_CASE("Twins are told apart by what becomes of them") {
  const Compared twins = compare(R"(g (float[2] x) => (float[2] y) {
      [a] p = Relu (x)
      [b] q = Relu (x)
      r = Exp (p)
      y = Sub (r, q)
    })",
                                 R"(g (float[2] x) => (float[2] y) {
      [a] q = Relu (x)
      [b] p = Relu (x)
      r = Exp (p)
      y = Sub (r, q)
    })");
  CHECK_FALSE(twins.diff.is_different());
}

TEST_CASE("An attribute with its default value is as good as none") {
  const char* with = "g (float[2] x) => (float[2] y) { y = Elu <alpha = 1.0> (x) }";
  const char* without = "g (float[2] x) => (float[2] y) { y = Elu (x) }";
  CHECK(compare(with, without).diff.is_different());
  DiffOptions options;
  options.is_default = ortool::has_default_value;
  CHECK_FALSE(compare(with, without, options).diff.is_different());
  CHECK_FALSE(compare(without, with, options).diff.is_different());
  CHECK(compare("g (float[2] x) => (float[2] y) { y = Elu <alpha = 2.0> (x) }", without, options)
            .diff.is_different());
}
