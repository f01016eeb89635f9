// Tree ensembles: several traversals in lockstep, either rows through a tree or a row through
// several trees.
#include "kernels/cpu/ml/tree_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/cpu/ml/ranked_trees.hpp"
#include "kernels/cpu/ml/ranked_walk.hpp"
#include "kernels/cpu/ml/tree_walk.hpp"

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

/// Walks of vectors: nodes compare alike, NaN needs no look, and a block's features have int32
/// offsets.
class VectorWalk {
 public:
  VectorWalk(const Forest<float>& forest, const TreeWalkFunctions& functions, const float* x,
             std::int64_t features, const Tally<float>& tally)
      : forest_(forest), functions_(functions), x_(x), features_(features), tally_(tally) {
    is_simple_ = !forest.leaf_weights.empty() && tally.targets == 1 &&
                 tally.aggregate == ForestAggregate::sum;
  }

  static const TreeWalkFunctions* find(const Forest<float>& forest, std::int64_t features,
                                       Isa isa) {
    constexpr std::int64_t max_features = 1 << 20;
    const bool fits = forest.comparisons.empty() && forest.takes_missing.empty() &&
                      forest.comparison < ForestComparison::member && features <= max_features &&
                      forest.nodes.size() < std::size_t{1} << 29;
    return fits ? tree_walk_functions(isa) : nullptr;
  }

  void run(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t block_bytes = 24 * 1024;
    const std::int64_t wide = functions_.lanes;
    const std::int64_t row_bytes = std::max<std::int64_t>(1, features_ * 4);
    const std::int64_t step =
        std::clamp<std::int64_t>(block_bytes / row_bytes / wide, 1, 16) * wide;
    const std::int64_t vectors_end = end - (end - begin) % wide;
    for (std::int64_t row = begin; row < vectors_end; row += step)
      run_block(row, std::min(row + step, vectors_end));
    for (std::int64_t row = vectors_end; row < end; ++row) run_row(row);
  }

 private:
  static constexpr int max_lanes = 32;

  WalkedNodes nodes() const {
    return {forest_.nodes.data(), forest_.first_leaf,
            static_cast<std::int32_t>(forest_.comparison)};
  }

  void run_block(std::int64_t begin, std::int64_t end) const {
    std::int32_t offsets[max_lanes];
    std::int32_t at[max_lanes];
    for (std::int32_t lane = 0; lane < functions_.lanes; ++lane)
      offsets[lane] = lane * static_cast<std::int32_t>(features_);
    for (const std::int32_t root : forest_.roots) {
      for (std::int64_t row = begin; row < end; row += functions_.lanes) {
        std::fill_n(at, functions_.lanes, root);
        functions_.walk(nodes(), x_ + row * features_, offsets, at);
        if (is_simple_) {
          functions_.add_weights(forest_.leaf_weights.data(), at, tally_.scores + row);
        } else {
          for (std::int32_t lane = 0; lane < functions_.lanes; ++lane)
            tally_.add(row + lane, at[lane]);
        }
      }
    }
    if (is_simple_ && !forest_.roots.empty())
      std::fill(tally_.has_score + begin, tally_.has_score + end, std::uint8_t{1});
  }

  void run_row(std::int64_t row) const {
    const std::int32_t offsets[max_lanes] = {};
    std::int32_t at[max_lanes];
    const auto wide = static_cast<std::size_t>(functions_.lanes);
    for (std::size_t tree = 0; tree < forest_.roots.size(); tree += wide) {
      const std::size_t count = std::min(wide, forest_.roots.size() - tree);
      for (std::size_t lane = 0; lane < wide; ++lane)
        at[lane] = forest_.roots[tree + std::min(lane, count - 1)];
      functions_.walk(nodes(), x_ + row * features_, offsets, at);
      for (std::size_t lane = 0; lane < count; ++lane) tally_.add(row, at[lane]);
    }
  }

  const Forest<float>& forest_;
  const TreeWalkFunctions& functions_;
  const float* x_;
  std::int64_t features_;
  const Tally<float>& tally_;
  bool is_simple_ = false;
};

/// Walks through ranked trees, in groups of rows as wide as the lanes.
class RankedWalk {
 public:
  RankedWalk(const RankedTrees& trees, const RankedWalkFunctions& functions, const float* x,
             std::int64_t features, const Tally<float>& tally)
      : trees_(trees), functions_(functions), x_(x), features_(features), tally_(tally) {
    has_weights_ = trees.targets == tally.targets && !trees.leaf_weights.empty() &&
                   tally.aggregate == ForestAggregate::sum;
  }

  /// Fewer rows leave most lanes empty.
  static constexpr std::int64_t min_rows = 4;

  static const RankedWalkFunctions* find(const RankedTrees* trees, std::int64_t features, Isa isa) {
    constexpr std::int64_t max_features = 1 << 20;
    return trees != nullptr && features <= max_features ? ranked_walk_functions(isa) : nullptr;
  }

  /// Up to as many rows as there are lanes.
  void run(std::int64_t begin, std::int64_t end) const {
    std::int32_t offsets[max_lanes];
    for (std::int32_t lane = 0; lane < functions_.lanes; ++lane) {
      const auto last = static_cast<std::int32_t>(end - begin - 1);
      offsets[lane] = std::min(lane, last) * static_cast<std::int32_t>(features_);
    }
    std::uint16_t ranks[max_ranked * max_lanes + 2];
    const std::size_t used = trees_.begins.size() - 1;
    for (std::size_t feature = 0; feature < used; ++feature) {
      const std::int32_t first = trees_.begins[feature];
      const ThresholdList ranked = {trees_.thresholds.data() + first,
                                    trees_.begins[feature + 1] - first, trees_.counts_equal,
                                    trees_.missing_rank};
      functions_.rank(ranked, x_ + begin * features_ + static_cast<std::int64_t>(feature), offsets,
                      ranks + feature * static_cast<std::size_t>(functions_.lanes));
    }
    if (has_weights_) return add_weights(ranks, begin, end);
    std::int32_t leaves[max_lanes];
    for (const RankedTrees::Tree& tree : trees_.trees) {
      functions_.walk(heap_of(tree), ranks, leaves);
      for (std::int64_t row = begin; row < end; ++row)
        tally_.add(row,
                   trees_.leaves[static_cast<std::size_t>(tree.first_leaf + leaves[row - begin])]);
    }
  }

 private:
  static constexpr int max_lanes = 32;
  static constexpr int max_ranked = 256;
  static constexpr int max_targets = RankedTrees::max_targets;

  WalkedTree heap_of(const RankedTrees::Tree& tree) const {
    return {trees_.nodes.data() + tree.first_node, tree.depth,
            trees_.leaf_weights.data() + tree.first_leaf * trees_.targets};
  }

  void add_weights(const std::uint16_t* ranks, std::int64_t begin, std::int64_t end) const {
    const auto targets = static_cast<std::int32_t>(trees_.targets);
    float sums[max_targets * max_lanes];
    std::fill_n(sums, targets * functions_.lanes, 0.0F);
    const std::vector<RankedTrees::Tree>& trees = trees_.trees;
    std::size_t tree = 0;
    if (end - begin <= functions_.lanes / 2) {
      for (; tree + 1 < trees.size(); tree += 2) {
        const WalkedTree pair[2] = {heap_of(trees[tree]), heap_of(trees[tree + 1])};
        functions_.add_pair(pair, ranks, targets, sums);
      }
    }
    for (; tree < trees.size(); ++tree) functions_.add(heap_of(trees[tree]), ranks, targets, sums);
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int32_t target = 0; target < targets; ++target)
        tally_.scores[row * targets + target] = sums[target * functions_.lanes + row - begin];
    }
    std::fill(tally_.has_score + begin * targets, tally_.has_score + end * targets,
              trees.empty() ? std::uint8_t{0} : std::uint8_t{1});
  }

  const RankedTrees& trees_;
  const RankedWalkFunctions& functions_;
  const float* x_;
  std::int64_t features_;
  const Tally<float>& tally_;
  bool has_weights_ = false;  ///< for every leaf and target
};

/// The rows by vectors, if the forest and the processor allow it.
bool walk_vectors(const Forest<float>& forest, const RankedTrees* trees, const float* x,
                  std::int64_t features, Isa isa, const Tally<float>& tally, std::int64_t begin,
                  std::int64_t end) {
  const RankedWalkFunctions* ranked = RankedWalk::find(trees, features, isa);
  if (ranked != nullptr) {
    const RankedWalk walk(*trees, *ranked, x, features, tally);
    for (; end - begin >= RankedWalk::min_rows;
         begin += std::min<std::int64_t>(ranked->lanes, end - begin))
      walk.run(begin, std::min<std::int64_t>(begin + ranked->lanes, end));
  }
  const TreeWalkFunctions* functions = VectorWalk::find(forest, features, isa);
  if (functions == nullptr) return begin == end;
  VectorWalk(forest, *functions, x, features, tally).run(begin, end);
  return true;
}

}  // namespace

template <typename T>
void aggregate_votes(const Forest<T>& forest, [[maybe_unused]] const RankedTrees* ranked,
                     const T* x, std::int64_t rows, std::int64_t features, std::int64_t targets,
                     ForestAggregate aggregate, [[maybe_unused]] Isa isa, T* scores,
                     std::uint8_t* has_score, Workers& workers) {
  std::int64_t steps = 1;
  for (const std::int32_t depth : forest.depths) steps += depth;
  const std::int64_t blocks = std::max<std::int64_t>(1, task_steps / steps / block_rows);
  const Tally<T> tally = {forest, aggregate, targets, scores, has_score};
  workers.parallel_ranges(rows, blocks * block_rows, [&](std::int64_t begin, std::int64_t end) {
    std::fill(scores + begin * targets, scores + end * targets, T(0));
    std::fill(has_score + begin * targets, has_score + end * targets, std::uint8_t{0});
    if constexpr (std::is_same_v<T, float>) {
      if (walk_vectors(forest, ranked, x, features, isa, tally, begin, end)) return;
    }
    with_nodes(forest, [&](auto holds) {
      walk_rows<decltype(holds)>(forest, x, features, begin, end, tally);
    });
  });
}

template void aggregate_votes(const Forest<float>&, const RankedTrees*, const float*, std::int64_t,
                              std::int64_t, std::int64_t, ForestAggregate, Isa, float*,
                              std::uint8_t*, Workers&);
template void aggregate_votes(const Forest<double>&, const RankedTrees*, const double*,
                              std::int64_t, std::int64_t, std::int64_t, ForestAggregate, Isa,
                              double*, std::uint8_t*, Workers&);

}  // namespace ortool::cpu
