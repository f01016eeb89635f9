// Lowering: the list of passes, what each did, and skipped passes.
#include "libcore/lower/lower.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/lower/observed_lowering.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {

namespace {

constexpr const char* gelu_model =
    "<ir_version: 10, opset_import: [\"\" : 17]>\n"
    "g (float[2, 4] x) => (float[2, 4] y) {"
    " s = Constant <value_float = 1.4142135> () o = Constant <value_float = 1.0> ()"
    " h = Constant <value_float = 0.5> ()"
    " a = Div (x, s) b = Erf (a) c = Add (b, o) d = Mul (x, c) y = Mul (d, h) }";

std::set<std::string_view> names_of_passes(const LoweringReport& report) {
  std::set<std::string_view> names;
  for (const LoweringRecord& record : report.passes) names.insert(record.name);
  return names;
}

const LoweringRecord& record_called(const LoweringReport& report, std::string_view name) {
  const auto found = std::find_if(report.passes.begin(), report.passes.end(),
                                  [&](const LoweringRecord& each) { return each.name == name; });
  REQUIRE(found != report.passes.end());
  return *found;
}

}  // namespace

TEST_CASE("Passes of lowering have names of their own, and placing comes before layouts") {
  const std::vector<LoweringPassInfo> passes = describe_lowering();
  std::vector<std::string_view> names;
  for (const LoweringPassInfo& pass : passes) names.push_back(pass.name);
  CHECK(std::set<std::string_view>(names.begin(), names.end()).size() == names.size());
  const auto place = std::find(names.begin(), names.end(), "place");
  REQUIRE(place != names.end());
  CHECK(std::find(place, names.end(), "assign-layouts") != names.end());
}

TEST_CASE("A session reports each pass that lowered its model, with nodes before and after") {
  const Session session(inferred_model(gelu_model), cpu_options());
  const LoweringReport& report = session.lowering();
  const LoweringRecord& rewrite = record_called(report, rewrite_pass_name);
  CHECK(rewrite.applied > 0);
  CHECK(rewrite.nodes_after < rewrite.nodes_before);
  CHECK(record_called(report, "place").nodes_after == rewrite.nodes_after);
}

TEST_CASE("A session that does not optimize runs the required passes alone") {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  const Session session(inferred_model(gelu_model), std::move(options));
  const std::set<std::string_view> ran = names_of_passes(session.lowering());
  for (const LoweringPassInfo& pass : describe_lowering()) {
    INFO(pass.name);
    if (pass.is_required) CHECK(ran.contains(pass.name));
    if (pass.level > OptimizeLevel::none) CHECK_FALSE(ran.contains(pass.name));
  }
}

TEST_CASE("Skipped passes and rules leave the graph as it was, required ones run all the same") {
  SessionOptions options = cpu_options();
  options.skipped_passes = {"rewrite", "place"};
  const Session whole(inferred_model(gelu_model), options);
  CHECK_FALSE(names_of_passes(whole.lowering()).contains("rewrite"));
  CHECK(names_of_passes(whole.lowering()).contains("place"));
  options.skipped_passes = {"fuse-gelu"};
  const Session session(inferred_model(gelu_model), options);
  for (const Placement& node : session.placement()) CHECK(node.op_type != "Gelu");
  const Tensor x = random_tensor(Shape({2, 4}), 3);
  CHECK(floats(session.run({{"x", x}}, {}).front()).size() == 8);
}

TEST_CASE("Observed lowering shows the model after every pass, groups of rules included") {
  std::unique_ptr<Model> model = inferred_model(gelu_model);
  const SessionOptions session = cpu_options();
  LoweringOptions options;
  options.providers = session.providers;
  Workers alone;
  std::set<std::string> seen;
  int looks = 0;
  const LoweredModel lowered =
      lower(*model, options, {.workers = alone}, [&](const Model& changed) {
        ++looks;
        for (const Node* node : nodes_in(changed)) seen.emplace(node->op_type());
      });
  CHECK(looks > static_cast<int>(lowered.report.passes.size()));
  CHECK(seen.contains("Erf"));
  CHECK(seen.contains("Gelu"));
}

TEST_CASE("Rules remove an expanded constant that a function broadcasts before it is folded") {
  const Session session(
      inferred_model("<ir_version: 10, opset_import: [\"\" : 17]>\n"
                     "g (float[1, 2, 300, 300] x) => (float[1, 2, 300, 300] y)"
                     " <float[2, 1, 1] slope = {1, 2}, int64[4] all = {1, 2, 300, 300}>"
                     " { s = Expand (slope, all) y = PRelu (x, s) }"),
      cpu_options());
  CHECK(session.constant_bytes() < 100);
}

}  // namespace ortool
