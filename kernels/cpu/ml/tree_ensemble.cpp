// Tree ensembles: eight traversals in lockstep, either eight rows through a tree or a row through
// eight trees.
#include "kernels/cpu/ml/tree_ensemble.hpp"

#include <algorithm>
#include <cmath>

namespace ortool::cpu {
namespace {

constexpr int lanes = 8;
/// Rows whose features and scores stay in cache while all trees are evaluated.
constexpr std::int64_t block_rows = 32;
constexpr std::int64_t task_steps = 16384;

template <ForestComparison comparison, typename T>
bool holds(T feature, T threshold) {
  switch (comparison) {
    case ForestComparison::less_or_equal:
      return feature <= threshold;
    case ForestComparison::less:
      return feature < threshold;
    case ForestComparison::greater_or_equal:
      return feature >= threshold;
    case ForestComparison::greater:
      return feature > threshold;
    case ForestComparison::equal:
      return feature == threshold;
    default:
      return feature != threshold;
  }
}

/// All nodes use the same comparison.
template <ForestComparison comparison, typename T>
struct UniformNodes {
  bool operator()(const Forest<T>& forest, const typename Forest<T>::Node& node, std::int32_t at,
                  T feature) const {
    const bool is_missing = std::isnan(feature) && !forest.takes_missing.empty();
    if (is_missing && forest.takes_missing[static_cast<std::size_t>(at)] != 0) return true;
    return holds<comparison>(feature, node.threshold);
  }
};

template <typename T>
struct MixedNodes {
  bool operator()(const Forest<T>& forest, const typename Forest<T>::Node& node, std::int32_t at,
                  T feature) const {
    const auto index = static_cast<std::size_t>(at);
    if (!forest.takes_missing.empty() && forest.takes_missing[index] != 0 && std::isnan(feature))
      return true;
    switch (forest.comparisons.empty() ? forest.comparison : forest.comparisons[index]) {
      case ForestComparison::less_or_equal:
        return feature <= node.threshold;
      case ForestComparison::less:
        return feature < node.threshold;
      case ForestComparison::greater_or_equal:
        return feature >= node.threshold;
      case ForestComparison::greater:
        return feature > node.threshold;
      case ForestComparison::equal:
        return feature == node.threshold;
      case ForestComparison::not_equal:
        return feature != node.threshold;
      case ForestComparison::member:
        break;
    }
    const auto set = static_cast<std::size_t>(forest.member_set[index]);
    return !std::isnan(feature) && std::binary_search(forest.member_sets[set].begin(),
                                                      forest.member_sets[set].end(), feature);
  }
};

/// Traverses from at[i] with the features x[i] until all have reached a leaf.
template <typename Holds, typename T>
void walk(const Forest<T>& forest, const T* const (&x)[lanes], std::int32_t (&at)[lanes],
          std::int32_t depth) {
  const Holds node_holds;
  const typename Forest<T>::Node* nodes = forest.nodes.data();
  while (depth > 0) {
    const std::int32_t steps = std::min(depth, 4);
    std::int32_t before[lanes];
    std::copy(at, at + lanes, before);
    for (std::int32_t step = 0; step < steps; ++step) {
      for (int lane = 0; lane < lanes; ++lane) {
        const typename Forest<T>::Node& node = nodes[at[lane]];
        const T feature = x[lane][node.feature];
        at[lane] = node.next[node_holds(forest, node, at[lane], feature) ? 0 : 1];
      }
    }
    if (std::equal(at, at + lanes, before)) return;
    depth -= steps;
  }
}

template <typename T>
struct Tally {
  const Forest<T>& forest;
  ForestAggregate aggregate;
  std::int64_t targets;
  T* scores;
  std::uint8_t* has_score;

  void add(std::int64_t row, std::int32_t at) const {
    const auto leaf = static_cast<std::size_t>(at - forest.first_leaf);
    const std::int64_t end = forest.vote_begins[leaf + 1];
    for (std::int64_t i = forest.vote_begins[leaf]; i < end; ++i) {
      const auto& [target, weight] = forest.votes[static_cast<std::size_t>(i)];
      T& score = scores[row * targets + target];
      std::uint8_t& has = has_score[row * targets + target];
      if (aggregate == ForestAggregate::sum || has == 0) {
        score += weight;
      } else {
        const bool replaces =
            aggregate == ForestAggregate::smallest ? weight < score : weight > score;
        if (replaces) score = weight;
      }
      has = 1;
    }
  }
};

template <typename Holds, typename T>
void walk_rows(const Forest<T>& forest, const T* x, std::int64_t features, std::int64_t begin,
               std::int64_t end, const Tally<T>& tally) {
  const std::size_t trees = forest.roots.size();
  const std::int64_t vectors_end = end - (end - begin) % lanes;
  const T* lane_x[lanes];
  std::int32_t at[lanes];
  for (std::int64_t block = begin; block < vectors_end; block += block_rows) {
    const std::int64_t block_end = std::min(block + block_rows, vectors_end);
    for (std::size_t tree = 0; tree < trees; ++tree) {
      for (std::int64_t row = block; row < block_end; row += lanes) {
        for (int lane = 0; lane < lanes; ++lane) lane_x[lane] = x + (row + lane) * features;
        std::fill(at, at + lanes, forest.roots[tree]);
        walk<Holds>(forest, lane_x, at, forest.depths[tree]);
        for (int lane = 0; lane < lanes; ++lane) tally.add(row + lane, at[lane]);
      }
    }
  }
  for (std::int64_t row = vectors_end; row < end; ++row) {
    std::fill(lane_x, lane_x + lanes, x + row * features);
    for (std::size_t tree = 0; tree < trees; tree += lanes) {
      const std::size_t count = std::min<std::size_t>(lanes, trees - tree);
      std::int32_t depth = 0;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t index = tree + std::min(lane, count - 1);
        at[lane] = forest.roots[index];
        depth = std::max(depth, forest.depths[index]);
      }
      walk<Holds>(forest, lane_x, at, depth);
      for (std::size_t lane = 0; lane < count; ++lane) tally.add(row, at[lane]);
    }
  }
}

/// Calls function(Holds{}) for the comparison of the forest's nodes.
template <typename T, typename Function>
void with_nodes(const Forest<T>& forest, Function function) {
  if (!forest.comparisons.empty()) return function(MixedNodes<T>{});
  switch (forest.comparison) {
    case ForestComparison::less_or_equal:
      return function(UniformNodes<ForestComparison::less_or_equal, T>{});
    case ForestComparison::less:
      return function(UniformNodes<ForestComparison::less, T>{});
    case ForestComparison::greater_or_equal:
      return function(UniformNodes<ForestComparison::greater_or_equal, T>{});
    case ForestComparison::greater:
      return function(UniformNodes<ForestComparison::greater, T>{});
    case ForestComparison::equal:
      return function(UniformNodes<ForestComparison::equal, T>{});
    case ForestComparison::not_equal:
      return function(UniformNodes<ForestComparison::not_equal, T>{});
    case ForestComparison::member:
      return function(MixedNodes<T>{});
  }
}

}  // namespace

template <typename T>
void aggregate_votes(const Forest<T>& forest, const T* x, std::int64_t rows, std::int64_t features,
                     std::int64_t targets, ForestAggregate aggregate, T* scores,
                     std::uint8_t* has_score, Workers& workers) {
  std::int64_t steps = 1;
  for (const std::int32_t depth : forest.depths) steps += depth;
  const std::int64_t blocks = std::max<std::int64_t>(1, task_steps / steps / block_rows);
  const Tally<T> tally = {forest, aggregate, targets, scores, has_score};
  workers.parallel_ranges(rows, blocks * block_rows, [&](std::int64_t begin, std::int64_t end) {
    std::fill(scores + begin * targets, scores + end * targets, T(0));
    std::fill(has_score + begin * targets, has_score + end * targets, std::uint8_t{0});
    with_nodes(forest, [&](auto holds) {
      walk_rows<decltype(holds)>(forest, x, features, begin, end, tally);
    });
  });
}

template void aggregate_votes(const Forest<float>&, const float*, std::int64_t, std::int64_t,
                              std::int64_t, ForestAggregate, float*, std::uint8_t*, Workers&);
template void aggregate_votes(const Forest<double>&, const double*, std::int64_t, std::int64_t,
                              std::int64_t, ForestAggregate, double*, std::uint8_t*, Workers&);

}  // namespace ortool::cpu
