// Rules from text: parsed, checked on numbers, applied where their types match.
#include "libcore/runtime/check_rule.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"
#include "libcore/text/print.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

constexpr const char* good = R"(# one rule
rule double-to-scale
summary x + x -> 2 * x
level basic
opset 18
before
  g (float[a, b] x) => (float[a, b] y) { y = Add (x, x) }
after
  g (float[a, b] x) => (float[a, b] y) <float two = {2}> { y = Mul (x, two) }
)";

void check(const char* text) {
  for (const auto& rule : parse_user_rules(text))
    check_rule(*rule, make_cpu_provider(cpu::best_isa()));
}

RewriteReport apply(Model& model, const char* text) {
  RewriteReport report;
  const std::vector<std::shared_ptr<const UserRule>> rules = parse_user_rules(text);
  const Rule rule = make_rule(rules.front());
  rewrite(*model.graph, std::span(&rule, 1), {.keeps_events = true}, report);
  verify(*model.graph);
  return report;
}

std::unique_ptr<Model> sum_of(const char* type) {
  const std::string text(type);
  return inferred_model("<ir_version: 8, opset_import: [\"\" : 18]>\ng (" + text + " x) => (" +
                        text + " y) { y = Add (x, x) }");
}

TEST_CASE("a rule whose graphs agree passes and acts") {
  check(good);
  const auto model = sum_of("float[n, 4]");
  CHECK(apply(*model, good).rewrites == 1);
  CHECK(print_graph(*model->graph).find("Mul") != std::string::npos);
}

std::string rule_text(const char* name, const char* before, const char* after) {
  return std::string("rule ") + name +
         "\nopset 18\nbefore\n  g (float[a, b] x) => (float[a, b] y) " + before +
         "\nafter\n  g (float[a, b] x) => (float[a, b] y) " + after + "\n";
}

/// Keeps the rules alive that a report names.
struct OwnRules {
  explicit OwnRules(const std::string& text) : rules(parse_user_rules(text)) {}
  std::vector<std::shared_ptr<const UserRule>> rules;
};

RewriteReport optimize_with(Model& model, const OwnRules& own, MemoryCap* cap = nullptr) {
  RuleGroup group{"own", OptimizeLevel::extended, {}, {}};
  for (const auto& rule : own.rules) group.rules.push_back(make_rule(rule));
  return optimize(model, {std::move(group)}, OptimizeLevel::extended, {.cap = cap});
}

/// A chain of `count` nodes.
std::unique_ptr<Model> chain_of(const char* op_type, int count) {
  std::string text =
      "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[n, 4] v0) => (float[n, 4] v" +
      std::to_string(count) + ") {";
  for (int i = 0; i < count; ++i) {
    text += " v" + std::to_string(i + 1) + " = " + op_type + " (v" + std::to_string(i) + ")";
  }
  return inferred_model(text + " }");
}

TEST_CASE("a rule whose result holds what it looks for is an error that names it, soon") {
  const OwnRules rules(
      rule_text("grows", "{ y = Relu (x) }", "<float m = {0}> { t = Relu (x) y = Add (t, m) }"));
  for (const int count : {1, 50}) {
    const auto model = chain_of("Relu", count);
    try {
      optimize_with(*model, rules);
      FAIL("it came to an end");
    } catch (const Error& error) {
      CHECK(error.id() == "rules.endless");
      CHECK(error.code() == ErrorCode::invalid);
      CHECK(error.message().find("rule 'grows' does not terminate") != std::string::npos);
    }
    CHECK(model->graph->node_count() < 1100 + 8 * count);
  }
}

TEST_CASE("rules that undo each other are told together") {
  const auto model = chain_of("Relu", 3);
  const OwnRules rules(rule_text("there", "{ y = Relu (x) }", "{ y = Abs (x) }") +
                       rule_text("back", "{ y = Abs (x) }", "{ y = Relu (x) }"));
  const RewriteReport report = optimize_with(*model, rules);
  CHECK(report.endless == std::vector<std::string_view>{"there", "back"});
}

TEST_CASE("rules that end may add nodes for each node and move operators past all others") {
  const auto grown = chain_of("Relu", 200);
  const RewriteReport report = optimize_with(
      *grown, OwnRules(rule_text(
                  "spell-out", "{ y = Relu (x) }",
                  "{ a = Abs (x) b = Neg (a) c = Neg (b) d = Neg (c) e = Neg (d) y = Neg (e) }")));
  CHECK(report.endless.empty());
  CHECK(grown->graph->node_count() == 1200);
  std::string text =
      "<ir_version: 8, opset_import: [\"\" : 18]>\ng (float[n, 4] v0) => (float[n, 4] v60) {";
  for (int i = 0; i < 60; ++i) {
    text += " v" + std::to_string(i + 1) + (i < 30 ? " = Relu (v" : " = Neg (v") +
            std::to_string(i) + ")";
  }
  const auto sorted = inferred_model(text + " }");
  const RewriteReport swaps = optimize_with(
      *sorted,
      OwnRules(rule_text("swap", "{ t = Relu (x) y = Neg (t) }", "{ t = Neg (x) y = Relu (t) }")));
  CHECK(swaps.endless.empty());
  CHECK(swaps.rewrites == 900);
}

TEST_CASE("a graph that grows counts against the memory limit") {
  const auto model = chain_of("Relu", 3000);
  MemoryCap cap(8 << 20);
  try {
    optimize_with(
        *model,
        OwnRules(rule_text("spell-out", "{ y = Relu (x) }",
                           "{ a = Abs (x) b = Neg (a) c = Neg (b) d = Neg (c) y = Neg (d) }")),
        &cap);
    FAIL("the limit is passed over");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::memory_limit);
    CHECK(error.message().find("'spell-out'") != std::string::npos);
  }
  CHECK(cap.used_bytes() == 0);
}

TEST_CASE("checking a rule honors the memory limit") {
  const std::string text =
      "rule r\nopset 18\nbefore\n  g (float[3000, 3000] x) => (float[3000, 3000] y) "
      "{ y = Relu (x) }\nafter\n  g (float[3000, 3000] x) => (float[3000, 3000] y) "
      "{ t = Relu (x) y = Relu (t) }\n";
  MemoryCap cap(8 << 20);
  const auto rules = parse_user_rules(text);
  try {
    check_rule(*rules.front(), make_cpu_provider(cpu::best_isa()), {.cap = &cap});
    FAIL("the limit is passed over");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::memory_limit);
  }
}

TEST_CASE("a rule acts on its own types only, and says so") {
  const auto doubles = sum_of("double[n, 4]");
  const RewriteReport report = apply(*doubles, good);
  CHECK(report.rewrites == 0);
  REQUIRE(report.events.size() == 1);
  CHECK(report.events[0].reason == "'x' is float64[n x 4] (the rule is for float32[a x b])");
  CHECK(apply(*sum_of("float[4]"), good).rewrites == 0);
}

TEST_CASE("a wrong rule is named with what differs") {
  CHECK_THROWS_WITH(check(R"(rule halve
opset 18
before
  g (float[a] x) => (float[a] y) <float h = {0.5}> { y = Mul (x, h) }
after
  g (float[a] x) => (float[a] y) <float h = {0.25}> { y = Mul (x, h) }
)"),
                    Catch::Contains("rule 'halve' is wrong: its graphs differ in"));
  CHECK_THROWS_WITH(check(R"(rule keep-order
level basic
opset 18
before
  g (float[a] x) => (float[a] y) <float h = {0.1}, float k = {0.7}> { t = Mul (x, h) y = Mul (t, k) }
after
  g (float[a] x) => (float[a] y) <float h = {0.07}> { y = Mul (x, h) }
)"),
                    Catch::Contains("differ bitwise"));
}

TEST_CASE("attributes must be those of the rule, with defaults where it has none") {
  constexpr const char* rule = R"(rule first-softmax
opset 18
before
  g (float[a, b] x) => (float[a, b] y) { t = Softmax <axis = 1> (x) y = Log (t) }
after
  g (float[a, b] x) => (float[a, b] y) { y = LogSoftmax <axis = 1> (x) }
)";
  check(rule);
  const auto model_of = [](const std::string& axis) {
    return inferred_model(
        "<ir_version: 8, opset_import: [\"\" : 18]>\n"
        "g (float[2, 3] x) => (float[2, 3] y)"
        "{ t = Softmax <axis = " +
        axis + "> (x) y = Log (t) }");
  };
  CHECK(apply(*model_of("1"), rule).rewrites == 1);
  CHECK(apply(*model_of("0"), rule).rewrites == 0);
}

TEST_CASE("what is no rule is told with its line") {
  CHECK_THROWS_WITH(check("before\n"), Catch::Contains("line 1: a 'rule' line must come first"));
  CHECK_THROWS_WITH(check("rule a\nopset 18\n"), Catch::Contains("line 1: rule 'a'"));
  CHECK_THROWS_WITH(check("rule a\nrule a\n"), Catch::Contains("two rules 'a'"));
  CHECK_THROWS_WITH(check("rule a\nlevel fast\n"), Catch::Contains("'fast' is not a level"));
}

}  // namespace
}  // namespace ortool
