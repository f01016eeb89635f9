// N-gram tree: a map while it grows, then a sorted list for binary search.
#include "kernels/cpu/ml/ngram_counts.hpp"

namespace ortool::cpu {

void NgramTrie::add(const std::vector<std::int64_t>& elements, std::int64_t gram) {
  std::int64_t node = 0;
  for (const std::int64_t element : elements) {
    const auto fresh = static_cast<std::int64_t>(grams_.size());
    const auto [place, is_new] = growing_.try_emplace({node, element}, fresh);
    if (is_new) grams_.push_back(-1);
    node = place->second;
  }
  grams_[static_cast<std::size_t>(node)] = gram;
}

void NgramTrie::finish() {
  for (const auto& [from, to] : growing_) steps_.push_back({from.first, from.second, to});
  growing_.clear();
}

std::int64_t NgramTrie::next(std::int64_t node, std::int64_t element) const {
  if (element < 0) return -1;
  const auto found = std::lower_bound(
      steps_.begin(), steps_.end(), std::pair(node, element),
      [](const Step& step, const auto& key) { return std::pair(step.node, step.element) < key; });
  return found != steps_.end() && found->node == node && found->element == element ? found->to : -1;
}

}  // namespace ortool::cpu
