// Rules applied to a graph until none fits any more.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/stop_token.hpp"
#include "libcore/optimize/evaluator.hpp"
#include "libcore/optimize/rule.hpp"

namespace ortool {

/// A rule or pass that fitted a place: it acted there, or why it did not.
struct RewriteEvent {
  std::string_view rule;
  std::string node;    ///< the end of the match; of a pass the node, or the value it concerns
  std::string reason;  ///< empty: it acted
};

/// What was done; `events` only where asked for.
struct RewriteReport {
  std::int64_t rewrites = 0;
  std::vector<RewriteEvent> events;
};

struct RewriteOptions {
  /// Rules may make operators of the domain `ortool`, which no file may hold.
  bool has_own_operators = false;
  bool keeps_events = false;
  /// Whether a rule or pass of that name runs; empty: all do.
  std::function<bool(std::string_view)> is_chosen = {};
  Evaluator* evaluator = nullptr;  ///< computes constants; null: they stay as they are
  FoldLimits fold_limits = {};
  const StopToken* stop = nullptr;  ///< polled all along; may be null

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

/// Applies the rules to `graph`, not to the graphs inside it, in the order of the nodes, the first
/// rule that fits winning, until none fits. The types of all values must have been inferred. The
/// time grows as the graph does. New nodes carry the name of the node whose result they make and
/// the names of all that they stand for (`origin_key`).
void rewrite(Graph& graph, std::span<const Rule> rules, const RewriteOptions& options,
             RewriteReport& report);

}  // namespace ortool
