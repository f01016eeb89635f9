// Tree ensembles: evaluates many decision trees for many rows and aggregates the leaves' votes.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

namespace ortool::cpu {

/// How a node compares a feature (left) with its threshold (right).
enum class ForestComparison : std::uint8_t {
  less_or_equal,
  less,
  greater_or_equal,
  greater,
  equal,
  not_equal,
  member,  ///< the feature is in a set
};

enum class ForestAggregate { sum, smallest, largest };

/// Trees in one array of nodes, which includes the leaves. T: float, double.
template <typename T>
struct Forest {
  struct Node {
    T threshold = 0;
    std::int32_t feature = 0;   ///< of a leaf: 0
    std::int32_t next[2] = {};  ///< if the comparison is true, if false; a leaf points to itself
  };
  struct Vote {
    std::int64_t target = 0;
    T weight = 0;
  };

  std::vector<Node> nodes;  ///< leaves are last
  std::int32_t first_leaf = 0;
  std::vector<std::int32_t> roots;
  std::vector<std::int32_t> depths;  ///< steps from each root to its deepest leaf
  /// The comparison of all nodes or, if they differ, one per node in `comparisons`.
  ForestComparison comparison = ForestComparison::less_or_equal;
  std::vector<ForestComparison> comparisons;
  std::vector<std::uint8_t> takes_missing;      ///< per node: NaN counts as true; or empty
  std::vector<std::int32_t> member_set;         ///< per node; or empty
  std::vector<std::vector<T>> member_sets;      ///< each sorted
  std::vector<std::int64_t> vote_begins = {0};  ///< leaf i: [vote_begins[i], vote_begins[i + 1])
  std::vector<Vote> votes;
  /// If each leaf has one vote, for target 0: the weights by node, 0 for inner nodes; else empty.
  std::vector<T> leaf_weights;
};

struct RankedTrees;

/// scores[rows, targets] = aggregate of the leaves' votes for each target, 0 if there are none, and
/// has_score[rows, targets] = whether there were any. `x` is rows × features; features must exceed
/// every index that nodes use. `ranked` are the forest's trees by ranks, or null. Votes are added
/// in the order of the trees, for any number of rows and threads.
template <typename T>
void aggregate_votes(const Forest<T>& forest, const RankedTrees* ranked, const T* x,
                     std::int64_t rows, std::int64_t features, std::int64_t targets,
                     ForestAggregate aggregate, Isa isa, T* scores, std::uint8_t* has_score,
                     Workers& workers);

}  // namespace ortool::cpu
