// Findings: known rules only, each once, errors first, never more than a thousand.
#include "libcore/check/finding.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"

using namespace ortool;

TEST_CASE("the rules of checks are sorted, so that each is found") {
  const auto rules = check_rules();
  CHECK(std::is_sorted(rules.begin(), rules.end(),
                       [](const CheckRule& a, const CheckRule& b) { return a.id < b.id; }));
  for (const CheckRule& rule : rules) CHECK(find_check_rule(rule.id) == &rule);
  CHECK(find_check_rule("no.such.rule") == nullptr);
}

TEST_CASE("a finding is listed once, and errors come first") {
  Findings findings;
  findings.add("name.graph", {}, "the main graph has no name");
  findings.add("graph.undefined", {.node = "'a' (Add)"}, "input 'x' is made by no node");
  findings.add("graph.undefined", {.node = "'a' (Add)"}, "input 'x' is made by no node");
  CHECK(findings.has_errors());
  CHECK(!findings.has_node_errors());
  const std::vector<Finding> list = findings.take();
  REQUIRE(list.size() == 2);
  CHECK(list[0].rule == "graph.undefined");
  CHECK(list[0].severity == Severity::error);
  CHECK(list[1].severity == Severity::warning);
  CHECK(!list[1].remedy.empty());
}

TEST_CASE("what a gate throws becomes a finding of its rule, or of the rule for the rest") {
  Findings findings;
  CHECK(!findings.collect(
      [] { throw Error(ErrorCode::invalid, "too short").with_id("tensor.size"); }, "w"));
  CHECK(!findings.collect([] {
    Error error(ErrorCode::invalid, "axis 5 is outside rank 2");
    throw error.at_node("soft", "Softmax");
  }));
  CHECK(findings.collect([] {}));
  CHECK(findings.has_error_at("'soft' (Softmax)"));
  const std::vector<Finding> list = findings.take();
  REQUIRE(list.size() == 2);
  CHECK(list[0].rule == "tensor.size");
  CHECK(list[0].value == "w");
  CHECK(list[1].rule == "node.invalid");
}

TEST_CASE("a request to stop is no finding") {
  Findings findings;
  CHECK_THROWS_AS(findings.collect([] { throw Error(ErrorCode::timeout, "time is up"); }), Error);
}

TEST_CASE("memory that the machine lacks is no finding, but memory that a file asks for is") {
  Findings findings;
  const auto fail = [](const char* id) {
    throw Error(ErrorCode::memory_limit, "too many bytes").with_id(id);
  };
  CHECK_THROWS_AS(findings.collect([&] { fail(""); }), Error);
  CHECK_THROWS_AS(findings.collect([&] { fail("memory.cap"); }), Error);
  CHECK(!findings.collect([&] { fail("limit.memory"); }));
  CHECK(findings.take().size() == 1);
}

TEST_CASE("findings beyond the thousandth are counted") {
  Findings findings;
  for (int i = 0; i < 1500; ++i) {
    findings.add("initializer.unused", {.value = std::to_string(i)}, "nothing reads it");
  }
  CHECK(findings.take().size() == Findings::most);
  CHECK(findings.left_out() == 500);
}
