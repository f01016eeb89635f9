// Forests of random trees against a scalar walk, for rows that do and do not fill the lanes.
#include "kernels/cpu/ml/tree_ensemble.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include <catch2/catch.hpp>

#include "kernels/cpu/ml/ranked_trees.hpp"
#include "tests/support/kernel_test.hpp"

namespace ortool::cpu {
namespace {

constexpr std::int64_t features = 5;
constexpr std::int64_t targets = 3;

/// Complete trees of random depth; `alike`: all nodes compare in the same way.
Forest<float> random_forest(std::size_t trees, bool alike, bool takes_missing, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  Forest<float> forest;
  std::vector<std::pair<std::size_t, std::size_t>> leaf_links;  // node, side
  for (std::size_t tree = 0; tree < trees; ++tree) {
    const auto depth = static_cast<std::int32_t>(random() % 6);
    const auto first = static_cast<std::int32_t>(forest.nodes.size());
    const std::int32_t count = (1 << depth) - 1;
    forest.depths.push_back(depth);
    forest.roots.push_back(depth == 0 ? -1 : first);
    for (std::int32_t i = 0; i < count; ++i) {
      const auto node = forest.nodes.size();
      forest.nodes.push_back(
          {number(random), static_cast<std::int32_t>(random() % features), {0, 0}});
      for (std::int32_t side = 0; side < 2; ++side) {
        const std::int32_t child = 2 * i + 1 + side;
        if (child < count) {
          forest.nodes[node].next[side] = first + child;
        } else {
          leaf_links.emplace_back(node, side);
        }
      }
    }
  }
  forest.first_leaf = static_cast<std::int32_t>(forest.nodes.size());
  const auto add_leaf = [&] {
    const auto at = static_cast<std::int32_t>(forest.nodes.size());
    forest.nodes.push_back({0, 0, {at, at}});
    for (auto votes = random() % 3; votes > 0; --votes)
      forest.votes.push_back({static_cast<std::int64_t>(random() % targets), number(random)});
    forest.vote_begins.push_back(static_cast<std::int64_t>(forest.votes.size()));
    return at;
  };
  for (const auto& [node, side] : leaf_links) forest.nodes[node].next[side] = add_leaf();
  for (std::int32_t& root : forest.roots) {
    if (root < 0) root = add_leaf();
  }
  forest.comparison = static_cast<ForestComparison>(random() % 6);
  for (std::size_t i = 0; i < forest.nodes.size(); ++i) {
    if (!alike) forest.comparisons.push_back(static_cast<ForestComparison>(random() % 6));
    if (takes_missing) forest.takes_missing.push_back(static_cast<std::uint8_t>(random() % 2));
  }
  return forest;
}

std::vector<Isa> levels_here() {
  std::vector<Isa> levels = {Isa::baseline};
  if (best_isa() >= Isa::avx512) levels.push_back(Isa::avx512);
  return levels;
}

bool reference_holds(ForestComparison comparison, float a, float b) {
  switch (comparison) {
    case ForestComparison::less_or_equal:
      return a <= b;
    case ForestComparison::less:
      return a < b;
    case ForestComparison::greater_or_equal:
      return a >= b;
    case ForestComparison::greater:
      return a > b;
    case ForestComparison::equal:
      return a == b;
    default:
      return a != b;
  }
}

std::vector<float> reference_sums(const Forest<float>& forest, const std::vector<float>& x) {
  const std::size_t rows = x.size() / features;
  std::vector<float> sums(rows * targets);
  for (std::size_t row = 0; row < rows; ++row) {
    for (const std::int32_t root : forest.roots) {
      auto at = static_cast<std::size_t>(root);
      while (at < static_cast<std::size_t>(forest.first_leaf)) {
        const auto& node = forest.nodes[at];
        const float value = x[row * features + static_cast<std::size_t>(node.feature)];
        const bool is_missing = std::isnan(value) && !forest.takes_missing.empty();
        const ForestComparison comparison =
            forest.comparisons.empty() ? forest.comparison : forest.comparisons[at];
        const bool is_true = (is_missing && forest.takes_missing[at] != 0) ||
                             reference_holds(comparison, value, node.threshold);
        at = static_cast<std::size_t>(node.next[is_true ? 0 : 1]);
      }
      const std::size_t leaf = at - static_cast<std::size_t>(forest.first_leaf);
      for (std::int64_t i = forest.vote_begins[leaf]; i < forest.vote_begins[leaf + 1]; ++i) {
        const auto& vote = forest.votes[static_cast<std::size_t>(i)];
        sums[row * targets + static_cast<std::size_t>(vote.target)] += vote.weight;
      }
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("walks in lanes end where plain walks do, with the same bits for any threads") {
  ThreadPool pool(4);
  unsigned seed = 1;
  for (const bool alike : {true, false}) {
    for (const bool takes_missing : {false, true}) {
      for (const std::size_t trees : {1U, 7U, 8U, 20U}) {
        const Forest<float> forest = random_forest(trees, alike, takes_missing, ++seed);
        const std::optional<RankedTrees> ranked = RankedTrees::make(forest);
        for (const std::int64_t rows : {0, 1, 7, 8, 33, 600}) {
          INFO("seed " << seed << ", trees " << trees << ", rows " << rows);
          std::vector<float> x = test::random_floats(rows * features, seed, -1, 1);
          for (std::size_t i = 0; i < x.size(); i += 11) x[i] = std::nanf("");
          std::vector<float> sums(static_cast<std::size_t>(rows * targets));
          std::vector<std::uint8_t> has_score(sums.size());
          for (const Isa isa : levels_here()) {
            for (const int threads : {1, 4}) {
              Workers workers(pool, threads);
              for (const RankedTrees* by_rank :
                   {ranked ? &*ranked : nullptr, static_cast<const RankedTrees*>(nullptr)}) {
                aggregate_votes(forest, by_rank, x.data(), rows, features, targets,
                                ForestAggregate::sum, isa, sums.data(), has_score.data(), workers);
                CHECK(test::same_bits(sums, reference_sums(forest, x)));
              }
            }
          }
        }
      }
    }
  }
}

TEST_CASE("votes for a single target have the same bits at every instruction set level") {
  ThreadPool pool(2);
  const unsigned seed = 77;
  INFO("seed " << seed);
  Forest<float> forest = random_forest(40, true, false, seed);
  const std::size_t leaves = forest.nodes.size() - static_cast<std::size_t>(forest.first_leaf);
  const std::vector<float> weights =
      test::random_floats(static_cast<std::int64_t>(leaves), seed, -1, 1);
  forest.votes.clear();
  forest.vote_begins = {0};
  forest.leaf_weights.assign(forest.nodes.size(), 0.0F);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    forest.votes.push_back({0, weights[leaf]});
    forest.vote_begins.push_back(static_cast<std::int64_t>(forest.votes.size()));
    forest.leaf_weights[static_cast<std::size_t>(forest.first_leaf) + leaf] = weights[leaf];
  }
  for (const ForestComparison comparison :
       {ForestComparison::less_or_equal, ForestComparison::less, ForestComparison::greater_or_equal,
        ForestComparison::greater, ForestComparison::equal, ForestComparison::not_equal}) {
    forest.comparison = comparison;
    for (const std::int64_t rows : {1, 31, 32, 77, 300}) {
      std::vector<float> x = test::random_floats(rows * features, seed, -1, 1);
      for (std::size_t i = 0; i < x.size(); i += 11) x[i] = std::nanf("");
      std::vector<std::vector<float>> sums;
      const std::optional<RankedTrees> ranked = RankedTrees::make(forest);
      for (const Isa isa : levels_here()) {
        for (const RankedTrees* by_rank :
             {static_cast<const RankedTrees*>(nullptr), ranked ? &*ranked : nullptr}) {
          Workers workers(pool, 2);
          std::vector<float>& result = sums.emplace_back(static_cast<std::size_t>(rows));
          std::vector<std::uint8_t> has_score(result.size());
          aggregate_votes(forest, by_rank, x.data(), rows, features, 1, ForestAggregate::sum, isa,
                          result.data(), has_score.data(), workers);
          CHECK(std::count(has_score.begin(), has_score.end(), 1) == rows);
          CHECK(test::same_bits(result, sums.front()));
        }
      }
    }
  }
}

TEST_CASE("leaves that vote for every target give the sums of plain walks, for few rows and many") {
  ThreadPool pool(2);
  Workers workers(pool, 2);
  for (unsigned seed = 5; seed < 9; ++seed) {
    Forest<float> forest = random_forest(10 + seed, true, false, seed);
    forest.comparison = static_cast<ForestComparison>(seed % 4);
    const std::size_t leaves = forest.nodes.size() - static_cast<std::size_t>(forest.first_leaf);
    const std::vector<float> weights =
        test::random_floats(static_cast<std::int64_t>(leaves) * targets, seed, -1, 1);
    forest.votes.clear();
    forest.vote_begins = {0};
    for (const float weight : weights) {
      const auto vote = static_cast<std::int64_t>(forest.votes.size());
      forest.votes.push_back({vote % targets, weight});
      if (vote % targets == targets - 1) forest.vote_begins.push_back(vote + 1);
    }
    const std::optional<RankedTrees> ranked = RankedTrees::make(forest);
    REQUIRE(ranked);
    CHECK(ranked->targets == targets);
    for (const std::int64_t rows : {3, 4, 8, 16, 17, 32, 36, 49, 200}) {
      INFO("seed " << seed << ", rows " << rows);
      std::vector<float> x = test::random_floats(rows * features, seed, -1, 1);
      for (std::size_t i = 0; i < x.size(); i += 11) x[i] = std::nanf("");
      std::vector<float> sums(static_cast<std::size_t>(rows * targets), -1);
      std::vector<std::uint8_t> has_score(sums.size());
      for (const Isa isa : levels_here()) {
        aggregate_votes(forest, &*ranked, x.data(), rows, features, targets, ForestAggregate::sum,
                        isa, sums.data(), has_score.data(), workers);
        CHECK(test::same_bits(sums, reference_sums(forest, x)));
        CHECK(std::count(has_score.begin(), has_score.end(), 1) == rows * targets);
      }
    }
  }
}

}  // namespace ortool::cpu
