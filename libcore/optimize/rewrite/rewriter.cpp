// Graph rewriter: a worklist in node order; nodes affected by a rewrite are visited again.
#include "libcore/optimize/rewrite/rewriter.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <unordered_map>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/apply_rule.hpp"

namespace ortool {
namespace {

/// How far after a change a match can end, and how many nodes are revisited for it.
constexpr std::size_t max_requeue_depth = 8;
constexpr std::size_t max_requeued = 48;
/// A graph is swept repeatedly while rules match; these limits stop rules that undo each other, and
/// rules that match their own output.
constexpr int max_sweeps = 16;
constexpr std::int64_t max_rewrites_a_node = 8;
/// How often a user rule may act, and how often it may increase the number of nodes, per node of
/// the model. A terminating rule can act on the nodes of the model and move an operator past each
/// of its neighbors; one that acts more often acts on its own output.
constexpr std::int64_t max_uses_a_node = 64;
constexpr std::int64_t max_growing_uses_a_node = 4;
constexpr std::int64_t always_allowed_uses = 1000;
/// The approximate memory of a node with its result, their names and its origins.
constexpr std::int64_t bytes_a_node = 1500;

class Rewriter {
 public:
  Rewriter(Graph& graph, std::span<const Rule> rules, const RewriteOptions& options,
           RewriteReport& report)
      : graph_(graph),
        options_(options),
        report_(report),
        order_(graph),
        first_nodes_(graph.node_count()),
        max_rewrites_(std::min(options.max_rewrites,
                               report.rewrites + max_rewrites_a_node * (graph.node_count() + 1))) {
    for (const Rule& rule : rules) {
      PassRecord& record = report.record_of(rule.name);
      record.is_users = rule.is_users;
      const auto index = static_cast<std::size_t>(&record - report.passes.data());
      for (std::string& op_type : root_operators(rule.pattern))
        rules_[std::move(op_type)].push_back({&rule, index});
    }
  }

  void run() {
    for (int sweep = 0; sweep < max_sweeps; ++sweep) {
      const std::int64_t before = report_.rewrites;
      for (Node& node : graph_.nodes()) push(&node);
      drain();
      if (report_.rewrites == before || report_.rewrites >= max_rewrites_) return;
    }
  }

 private:
  void push(Node* node) {
    const auto id = static_cast<std::size_t>(node->id());
    if (id >= is_queued_.size()) is_queued_.resize(id + 1024);
    if (is_queued_[id]) return;
    is_queued_[id] = true;
    queue_.push_back(node);
  }

  void drain() {
    while (!queue_.empty() && report_.rewrites < max_rewrites_) {
      if (options_.stop != nullptr) options_.stop->poll();
      Node* node = queue_.front();
      queue_.pop_front();
      is_queued_[static_cast<std::size_t>(node->id())] = false;
      if (!order_.holds(*node)) continue;
      visit(*node);
    }
  }

  void visit(Node& node) {
    const auto found = rules_.find(node.op_type());
    if (found == rules_.end()) return;
    for (const Entry& entry : found->second) {
      if (try_rule(*entry.rule, node, report_.passes[entry.record])) return;
    }
  }

  bool try_rule(const Rule& rule, Node& node, PassRecord& record) {
    const auto start = std::chrono::steady_clock::now();
    const bool has_acted = apply(rule, node, record);
    record.milliseconds +=
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return has_acted;
  }

  bool apply(const Rule& rule, Node& node, PassRecord& record) {
    Match match;
    if (!find_match(rule.pattern, node, match)) return false;
    match.has_own_operators = options_.has_own_operators;
    std::vector<std::string> members;
    if (options_.keeps_events) members = names_of(match);
    const std::int64_t nodes_before = graph_.node_count();
    Application application(rule, match, order_, options_.has_own_operators);
    const Verdict verdict = application.apply();
    if (options_.keeps_events) {
      if (!verdict.is_yes) members.clear();
      report_.events.push_back(
          {rule.name, application.node_name(), verdict.reason, std::move(members)});
    }
    if (!verdict.is_yes) return false;
    ++report_.rewrites;
    ++record.applied;
    const std::int64_t nodes_added = graph_.node_count() - nodes_before;
    record.nodes_added += nodes_added;
    if (nodes_added > 0) ++record.growing;
    record.constant_bytes_added += application.constant_bytes_added();
    count_added_nodes(nodes_added, rule.name, options_, report_);
    if (rule.is_users) check_end(record);
    requeue(application.changed());
    return true;
  }

  void check_end(const PassRecord& record) const {
    const std::int64_t nodes = 1 + (report_.model_nodes > 0 ? report_.model_nodes : first_nodes_);
    const bool is_growing = record.growing > max_growing_uses_a_node * nodes + always_allowed_uses;
    if (!is_growing && record.applied <= max_uses_a_node * nodes + always_allowed_uses) return;
    throw Error(ErrorCode::invalid,
                format("rule {} does not terminate: it was applied {} times in a model of {} nodes "
                       "and added {}",
                       quote(record.name), record.applied, nodes - 1, record.nodes_added),
                "the result of a rule must not match its own pattern or that of another rule")
        .with_id("rules.endless");
  }

  /// In node order.
  std::vector<std::string> names_of(const Match& match) const {
    std::vector<const Node*> nodes;
    for (const Match::Member& member : match.members()) nodes.push_back(member.node);
    std::stable_sort(nodes.begin(), nodes.end(), [&](const Node* a, const Node* b) {
      return order_.place_of(*a) < order_.place_of(*b);
    });
    std::vector<std::string> names;
    for (const Node* node : nodes) names.emplace_back(node->name());
    return names;
  }

  /// Revisits new nodes, and those downstream of them and of values that lost consumers.
  void requeue(const std::vector<Value*>& changed) {
    std::vector<Value*> level = changed;
    std::size_t count = 0;
    for (std::size_t depth = 0; depth < max_requeue_depth && count < max_requeued; ++depth) {
      std::vector<Value*> next;
      for (const Value* value : level) {
        if (depth == 0 && value->producer() != nullptr) push(value->producer());
        if (value->uses().size() > max_requeued) continue;
        for (const Use& use : value->uses()) {
          if (use.kind != Use::Kind::input || ++count > max_requeued) continue;
          push(use.node);
          for (std::int64_t i = 0; i < use.node->output_count(); ++i) {
            if (use.node->output(i) != nullptr) next.push_back(use.node->output(i));
          }
        }
      }
      level = std::move(next);
    }
  }

  /// A rule, and the index of its record in the report.
  struct Entry {
    const Rule* rule;
    std::size_t record;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  Graph& graph_;
  const RewriteOptions& options_;
  RewriteReport& report_;
  NodeOrder order_;
  std::int64_t first_nodes_;
  std::int64_t max_rewrites_;
  std::unordered_map<std::string, std::vector<Entry>, TextHash, std::equal_to<>> rules_;
  std::deque<Node*> queue_;
  std::vector<bool> is_queued_;
};

}  // namespace

PassRecord& RewriteReport::record_of(std::string_view pass) {
  for (PassRecord& record : passes) {
    if (record.name == pass) return record;
  }
  return passes.emplace_back(PassRecord{.name = pass});
}

std::vector<std::string> origins_of(const Node& node) {
  for (const auto& [key, value] : node.metadata()) {
    if (key != origin_key) continue;
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find('\n', begin), value.size());
      names.push_back(value.substr(begin, end - begin));
      begin = end + 1;
    }
    return names;
  }
  return {std::string(node.name())};
}

void count_added_nodes(std::int64_t nodes, std::string_view name, const RewriteOptions& options,
                       RewriteReport& report) {
  constexpr std::int64_t step = 1024;
  report.nodes_added += nodes;
  if (options.cap == nullptr || report.nodes_added < report.nodes_charged + step) return;
  report.nodes_charged = report.nodes_added;
  // Nodes are not tensors: their memory is checked against the limit, but not held as long as the
  // model lives.
  const MemoryReservation looked_at(options.cap, report.nodes_added * bytes_a_node,
                                    format("rewriting the graph ({} and others added {} nodes)",
                                           quote(name), report.nodes_added));
}

void rewrite(Graph& graph, std::span<const Rule> rules, const RewriteOptions& options,
             RewriteReport& report) {
  if (rules.empty()) return;
  Rewriter(graph, rules, options, report).run();
}

}  // namespace ortool
