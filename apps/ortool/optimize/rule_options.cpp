// User rules: loads the rules of --rules and inserts them into the pipeline.
#include "apps/ortool/optimize/rule_options.hpp"

#include <algorithm>

#include "apps/ortool/options/model_argument.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/lower/fuse_quantized.hpp"
#include "libcore/optimize/user_rules/user_rules.hpp"
#include "libcore/runtime/check_rule.hpp"

namespace ortool {
namespace {

/// The group of --rules.
constexpr std::string_view user_group = "user's own";
constexpr std::int64_t max_rules_bytes = std::int64_t{16} << 20;

/// The pipeline with the passes for ortool's files, before the rules that would break up
/// clusters.
std::vector<RuleGroup> with_target_passes(std::vector<RuleGroup> groups) {
  const auto place = std::find_if(groups.begin(), groups.end(),
                                  [](const auto& group) { return group.name == "clean up"; });
  groups.insert(place, {"fit kernels", OptimizeLevel::all, {}, {fuse_quantized_pass()}});
  return groups;
}

/// The pipeline with the rules of --rules, after functions and constants are processed.
std::vector<RuleGroup> with_user_rules(const Invocation& invocation,
                                       std::vector<RuleGroup> groups) {
  const std::string path = invocation.options.text("rules");
  if (path.empty()) return groups;
  const std::vector<PassDescription> known = describe_passes(groups);
  const std::shared_ptr<const Provider> provider = choose_verifying_providers(invocation).back();
  RuleGroup basic{user_group, OptimizeLevel::basic, {}, {}};
  RuleGroup extended{user_group, OptimizeLevel::extended, {}, {}};
  const std::string text = read_text_file(path, max_rules_bytes);
  in_file(path, [&] {
    for (const auto& rule : parse_user_rules(text)) {
      const bool is_taken = std::any_of(known.begin(), known.end(),
                                        [&](const auto& pass) { return pass.name == rule->name; });
      if (is_taken) {
        throw Error(ErrorCode::invalid, format("a pass {} already exists", quote(rule->name)),
                    "'ortool optimize --list-passes' names all")
            .with_id("rules.name");
      }
      invocation.stop.poll();
      check_rule(*rule, provider, {.cap = &invocation.memory, .stop = &invocation.stop});
      (rule->level == OptimizeLevel::basic ? basic : extended).rules.push_back(make_rule(rule));
    }
  });
  const auto place = groups.begin() + (groups.empty() ? 0 : 1);
  groups.insert(place, {std::move(basic), std::move(extended)});
  return groups;
}

}  // namespace

std::vector<std::shared_ptr<const Provider>> choose_verifying_providers(
    const Invocation& invocation) {
  OptionValues options = invocation.options;
  options.set("precision", {});
  return choose_providers(invocation.with(options));
}

std::vector<RuleGroup> groups_with_options(const Invocation& invocation,
                                           std::vector<RuleGroup> groups) {
  return with_user_rules(invocation, with_target_passes(std::move(groups)));
}

void check_user_rules(const Invocation& invocation, const RewriteReport& rewrites) {
  if (!invocation.options.has("rules")) return;
  const std::string file = invocation.options.text("rules");
  bool have_acted = false;
  bool are_endless = false;
  for (const PassRecord& pass : rewrites.passes) {
    if (!pass.is_users || pass.applied == 0) continue;
    have_acted = true;
    are_endless = are_endless || std::find(rewrites.endless.begin(), rewrites.endless.end(),
                                           pass.name) != rewrites.endless.end();
  }
  if (!have_acted) {
    invocation.warn(format("{}: none of its rules applied (--explain shows why)", file));
  } else if (are_endless) {
    throw Error(ErrorCode::invalid,
                format("{}: rules do not terminate: {}", file, list_names(rewrites.endless)),
                "the result of a rule must not match its own pattern or that of another rule")
        .with_id("rules.endless");
  }
}

}  // namespace ortool
