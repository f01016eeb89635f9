// Node patterns: globs match the original node names, which derived nodes remember.
#include "libcore/quantize/search/node_patterns.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {
namespace {

void check_patterns(std::string_view option, std::span<const std::string> patterns,
                    std::span<const std::string> names) {
  for (const std::string& pattern : patterns) {
    const bool is_used = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return matches_glob(name, pattern);
    });
    if (is_used) continue;
    NearestName nearest(pattern);
    for (const std::string& name : names) nearest.offer(name);
    const std::string hint =
        nearest.best().empty()
            ? format("the nodes are {}", list_names(names))
            : format("did you mean {}? (`ortool inspect MODEL --nodes` lists all)",
                     quote(nearest.best()));
    throw Error(ErrorCode::invalid,
                format("option {}: no node matches {}", setting_name(option), quote(pattern)), hint)
        .with_id("usage.applies_to_nothing");
  }
}

bool fits_any(const std::vector<std::string>& names, const std::vector<std::string>& patterns) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& pattern) { return matches_glob(name, pattern); });
  });
}

}  // namespace

NodePatterns::NodePatterns(NodeSelection selection, const Model& given)
    : excluded_(std::move(selection.excluded)),
      only_(std::move(selection.only)),
      excluded_types_(std::move(selection.excluded_types)) {
  std::vector<std::string> names;
  std::vector<std::string> types;
  for (const Graph* graph : graphs_in(given)) {
    for (const Node& node : graph->nodes()) {
      names.emplace_back(node.name());
      types.emplace_back(node.op_type());
    }
  }
  check_patterns("exclude", excluded_, names);
  check_patterns("only", only_, names);
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  for (const std::string& type : excluded_types_) {
    if (std::find(types.begin(), types.end(), type) == types.end())
      throw unknown_name("operator", type, "operators of the model", types);
  }
}

std::string NodePatterns::refusal(const Node& node) const {
  const bool is_type = std::find(excluded_types_.begin(), excluded_types_.end(), node.op_type()) !=
                       excluded_types_.end();
  if (is_type) return format("left out by {}", setting_name("exclude-op"));
  const std::vector<std::string> names = origins_of(node);
  if (fits_any(names, excluded_)) return format("left out by {}", setting_name("exclude"));
  if (!only_.empty() && !fits_any(names, only_))
    return format("not matched by {}", setting_name("only"));
  return {};
}

bool NodePatterns::is_wanted(const Node& node) const {
  return !only_.empty() && fits_any(origins_of(node), only_);
}

}  // namespace ortool
