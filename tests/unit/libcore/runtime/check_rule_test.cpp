// Rules from text: read, checked on numbers, applied where their types say.
#include "libcore/runtime/check_rule.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/verify.hpp"
#include "libcore/optimize/rewriter.hpp"
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
                    Catch::Contains("other bits"));
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
  CHECK_THROWS_WITH(check("before\n"), Catch::Contains("line 1: a 'rule' comes first"));
  CHECK_THROWS_WITH(check("rule a\nopset 18\n"), Catch::Contains("line 1: rule 'a'"));
  CHECK_THROWS_WITH(check("rule a\nrule a\n"), Catch::Contains("two rules 'a'"));
  CHECK_THROWS_WITH(check("rule a\nlevel fast\n"), Catch::Contains("'fast' is no level"));
}

}  // namespace
}  // namespace ortool
