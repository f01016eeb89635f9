// Rules applied to a graph until none fits any more.
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

/// A rule or pass that fitted a place: it acted there, or why it did not.
struct RewriteEvent {
  std::string_view rule;
  std::string node;    ///< the end of the match; of a pass the node, or the value it concerns
  std::string reason;  ///< empty: it acted
  /// Where it acted: the names of the nodes it replaced, in their order.
  std::vector<std::string> members = {};
};

/// What one rule or pass did to a model, all its visits together.
struct PassRecord {
  std::string_view name;
  std::int64_t applied = 0;
  std::int64_t nodes_added = 0;           ///< less those removed
  std::int64_t constant_bytes_added = 0;  ///< less those removed
  double milliseconds = 0;
  bool is_users = false;     ///< a rule from text
  std::int64_t growing = 0;  ///< how often it left more nodes than it found
};

/// What was done; `events` only where asked for.
struct RewriteReport {
  std::int64_t rewrites = 0;
  std::vector<RewriteEvent> events;
  std::vector<PassRecord> passes;  ///< those that ran, in the order of their first visit
  /// Rules and passes that still found places in the last round they are given; two that undo each
  /// other, for one.
  std::vector<std::string_view> endless;
  /// Of the model when the round began, without those that rules from text had added. 0: of the
  /// graph that is rewritten.
  std::int64_t model_nodes = 0;
  std::int64_t nodes_added = 0;    ///< by all of `passes`
  std::int64_t nodes_charged = 0;  ///< of them, those held against the memory limit

  PassRecord& record_of(std::string_view pass);
};

struct RewriteOptions {
  /// Rules may make operators of the domain `ortool`, which no file may hold.
  bool has_own_operators = false;
  /// Rules for files stay out (Rule::is_for_files).
  bool is_in_session = false;
  bool keeps_events = false;
  /// Rewriting ends after so many; the same model always takes the same ones first.
  std::int64_t most_rewrites = std::numeric_limits<std::int64_t>::max();
  /// Whether a rule or pass of that name runs; empty: all do.
  std::function<bool(std::string_view)> is_chosen = {};
  Evaluator* evaluator = nullptr;  ///< computes constants; null: they stay as they are
  FoldLimits fold_limits = {};
  MemoryCap* cap = nullptr;         ///< a graph that grows is held against it; may be null
  const StopToken* stop = nullptr;  ///< polled all along; may be null
  /// Called after every pass and every group of rules, with its name: for checks. May be empty.
  std::function<void(const Model&, std::string_view)> after_pass = {};

  bool chooses(std::string_view name) const { return !is_chosen || is_chosen(name); }
  void poll() const {
    if (stop != nullptr) stop->poll();
  }
};

/// The metadata key under which a node keeps the names of the nodes it was made from, one a line.
inline constexpr std::string_view origin_key = "origin";

/// The names of the nodes of the model's file that a node stands for: its own, or those of its
/// `origin`.
std::vector<std::string> origins_of(const Node& node);

/// Counts nodes that `name` added. Throws ErrorCode::memory_limit where the nodes that were added
/// together take more memory than the cap has left.
void count_added_nodes(std::int64_t nodes, std::string_view name, const RewriteOptions& options,
                       RewriteReport& report);

/// Applies the rules to `graph`, not to the graphs inside it, in the order of the nodes, the first
/// rule that fits winning, until none fits. The types of all values must have been inferred. The
/// time grows as the graph does. New nodes carry the name of the node whose result they make and
/// the names of all that they stand for (`origin_key`). Throws ErrorCode::invalid, "rules.endless",
/// naming the rule from text that goes on finding places in what it made.
void rewrite(Graph& graph, std::span<const Rule> rules, const RewriteOptions& options,
             RewriteReport& report);

}  // namespace ortool
