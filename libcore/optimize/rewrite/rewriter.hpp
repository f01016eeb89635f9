// Graph rewriter: applies rules to a graph until a fixed point is reached.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/optimize/rewrite/evaluator.hpp"
#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

/// A rule or pass that matched: where it acted, or why it did not.
struct RewriteEvent {
  std::string_view rule;
  std::string node;    ///< the last node of the match; for a pass the node or value concerned
  std::string reason;  ///< empty: it acted
  /// If it acted: the names of the nodes it replaced, in node order.
  std::vector<std::string> members = {};
};

/// The total effect of one rule or pass on a model.
struct PassRecord {
  std::string_view name;
  std::int64_t applied = 0;
  std::int64_t nodes_added = 0;           ///< net of those removed
  std::int64_t constant_bytes_added = 0;  ///< net of those removed
  double milliseconds = 0;
  bool is_users = false;     ///< a user rule
  std::int64_t growing = 0;  ///< how often it increased the number of nodes
};

/// What was done; `events` only on request.
struct RewriteReport {
  std::int64_t rewrites = 0;
  std::vector<RewriteEvent> events;
  std::vector<PassRecord> passes;  ///< those that ran, in the order of their first visit
  /// Rules and passes that still matched in the last permitted round, such as two that undo each
  /// other.
  std::vector<std::string_view> endless;
  /// The model's nodes at the start of the round, without those added by user rules. 0: those of
  /// the graph being rewritten.
  std::int64_t model_nodes = 0;
  std::int64_t nodes_added = 0;    ///< by all of `passes`
  std::int64_t nodes_charged = 0;  ///< of them, those checked against the memory limit

  PassRecord& record_of(std::string_view pass);
};

struct RewriteOptions {
  /// Rules may use operators of the domain `ortool`, which are not allowed in files.
  bool has_own_operators = false;
  /// Rules for files are disabled (Rule::is_for_files).
  bool is_in_session = false;
  bool keeps_events = false;
  /// The maximum number of rewrites; the same model always gets the same ones first.
  std::int64_t max_rewrites = std::numeric_limits<std::int64_t>::max();
  /// Whether the rule or pass of that name runs; empty: all run.
  std::function<bool(std::string_view)> is_chosen = {};
  Evaluator* evaluator = nullptr;  ///< folds constants; null: no folding
  FoldLimits fold_limits = {};
  MemoryCap* cap = nullptr;         ///< limits the growth of the graph; may be null
  const StopToken* stop = nullptr;  ///< polled throughout; may be null
  /// Called after every pass and every group of rules, with its name: for checks. May be empty.
  std::function<void(const Model&, std::string_view)> after_pass = {};

  bool chooses(std::string_view name) const { return !is_chosen || is_chosen(name); }
  void poll() const {
    if (stop != nullptr) stop->poll();
  }
};

/// The metadata key for the names of the nodes from which a node was derived, one per line.
inline constexpr std::string_view origin_key = "origin";

/// The nodes of the model file that a node corresponds to: itself, or those of its `origin`.
std::vector<std::string> origins_of(const Node& node);

/// Counts nodes that `name` added. Throws ErrorCode::memory_limit when all added nodes together
/// take more memory than the cap has left.
void count_added_nodes(std::int64_t nodes, std::string_view name, const RewriteOptions& options,
                       RewriteReport& report);

/// Applies the rules to `graph`, without its subgraphs, in node order until none matches; the first
/// matching rule wins. The types of all values must have been inferred. Time is linear in the size
/// of the graph. New nodes carry the name of the node whose result they produce, and the names of
/// all nodes they replace (`origin_key`). Throws ErrorCode::invalid, "rules.endless", naming the
/// user rule that keeps matching its own output.
void rewrite(Graph& graph, std::span<const Rule> rules, const RewriteOptions& options,
             RewriteReport& report);

}  // namespace ortool
