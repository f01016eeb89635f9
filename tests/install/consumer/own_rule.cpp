// A custom rewrite rule in another program: parsed from text, checked on random inputs, applied.
#include <cstdio>
#include <memory>

#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/user_rules/user_rules.hpp"
#include "libcore/runtime/check_rule.hpp"
#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"
#include "providers/provider_list.hpp"

namespace {

constexpr const char* rules = R"(rule double-to-scale
summary x + x -> 2 * x
level basic
opset 18
before
  g (float[a, b] x) => (float[a, b] y) { y = Add (x, x) }
after
  g (float[a, b] x) => (float[a, b] y) <float two = {2}> { y = Mul (x, two) }
)";

constexpr const char* model_text = R"(<ir_version: 8, opset_import: ["" : 18]>
g (float[n, 4] x) => (float[n, 4] y) { t = Relu (x) y = Add (t, t) })";

std::shared_ptr<const ortool::Provider> cpu_provider() {
  for (const ortool::ProviderEntry& entry : ortool::provider_list()) {
    if (entry.name == "cpu") return entry.make({});
  }
  return nullptr;
}

}  // namespace

int main() {
  ortool::RuleGroup group{"own", ortool::OptimizeLevel::basic, {}, {}};
  for (const auto& rule : ortool::parse_user_rules(rules)) {
    ortool::check_rule(*rule, cpu_provider());
    group.rules.push_back(ortool::make_rule(rule));
  }
  const std::unique_ptr<ortool::Model> model = ortool::parse_model(model_text);
  ortool::infer_shapes(*model);
  const ortool::RewriteReport report =
      ortool::optimize(*model, {std::move(group)}, ortool::OptimizeLevel::basic, {});
  std::printf("%s", ortool::print_graph(*model->graph).c_str());
  return report.rewrites == 1 ? 0 : 1;
}
