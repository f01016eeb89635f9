// Two sessions that run at the same time and meet at every value that both of them compute.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

/// A session with what it runs on.
struct ObservedRun {
  const Session& session;
  NamedValues inputs;
  RunOptions options;
};

/// A value of one session and the one of the other that stands for it.
struct ValuePair {
  std::string name;
  std::string other;
};

/// `value`, the output `index` of `node` in the first run, and what stands for it in the other:
/// both lent for this call, by one thread at a time. Returns whether to go on comparing.
using PairVisitor = FunctionRef<bool(const Node& node, std::int64_t index, const RunValue& value,
                                     const RunValue& other)>;

/// Runs pairs of sessions node by node and shows the values of both: nothing is kept.
class PairedRuns {
 public:
  /// `pairs` names the values to show; empty: all that have the same names in both. Values of
  /// bodies are told apart by how often they were computed before.
  explicit PairedRuns(std::vector<ValuePair> pairs = {}) : pairs_(std::move(pairs)) {}

  /// Runs both and calls `visit` for each value, in the order in which both compute them; what they
  /// compute in another order is left out. Before the first run, and for models with bodies before
  /// each, both run once for the order. Throws what either of them throws.
  void run(const ObservedRun& run, const ObservedRun& other, PairVisitor visit);

 private:
  std::vector<ValuePair> pairs_;
  std::vector<std::string> keys_;
  bool has_keys_ = false;
};

}  // namespace ortool
