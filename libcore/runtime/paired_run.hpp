// Paired run: two sessions run in lockstep and meet at every value that both compute.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// A session and its inputs.
struct ObservedRun {
  const Session& session;
  NamedValues inputs;
  RunOptions options;
};

/// A value of one session and its counterpart in the other.
struct ValuePair {
  std::string name;
  std::string other;
};

/// `value`, output `index` of `node` in the first run, and its counterpart in the other: both are
/// lent for this call, which is made by one thread at a time. Returns whether to continue
/// comparing.
using PairVisitor = FunctionRef<bool(const Node& node, std::int64_t index, const RunValue& value,
                                     const RunValue& other)>;

/// How the order is known in which a session computes its values.
enum class ValueOrder {
  recorded,  ///< by a run before
  of_nodes   ///< it runs every node separately, in the graph's order; recorded for models with bodies
};

/// Runs pairs of sessions node by node and shows corresponding values; nothing is stored.
class PairedRuns {
 public:
  /// `pairs` names the values to show; empty: all that have the same names in both. Values in
  /// bodies are distinguished by how often they were computed before.
  explicit PairedRuns(std::vector<ValuePair> pairs = {}, ValueOrder order = ValueOrder::recorded)
      : pairs_(std::move(pairs)), order_(order) {}

  /// Runs both and calls `visit` for each value in the order in which both compute them; values
  /// computed in a different order are skipped. Where the order is recorded, both run once before
  /// the first run, and for models with bodies before each. Throws what either of them throws.
  void run(const ObservedRun& run, const ObservedRun& other, PairVisitor visit);

  /// How many values the first session of the last run computes.
  std::int64_t computed() const { return computed_; }

 private:
  std::vector<ValuePair> pairs_;
  ValueOrder order_;
  std::vector<std::string> keys_;
  std::int64_t computed_ = 0;
  bool has_keys_ = false;
};

}  // namespace ortool
