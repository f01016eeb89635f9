// Subgraph refusals: keys of provider and name.
#include "libcore/lower/subgraph_refusals.hpp"

#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {
namespace {

std::string refusal_key(std::string_view provider, std::string_view node) {
  return std::string(provider).append(1, '\n').append(node);
}

}  // namespace

void SubgraphRefusals::add(std::string_view provider, const Node& node,
                           const std::string& reason) {
  for (const std::string& origin : origins_of(node))
    reasons_.try_emplace(refusal_key(provider, origin), reason);
}

std::string SubgraphRefusals::find(std::string_view provider, const Node& node) const {
  for (const std::string& origin : origins_of(node)) {
    const auto found = reasons_.find(refusal_key(provider, origin));
    if (found != reasons_.end()) return found->second;
  }
  return {};
}

}  // namespace ortool
