// A worklist over the nodes in order; what a rewrite changes is looked at again.
#include "libcore/optimize/rewriter.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "libcore/base/format.hpp"
#include "libcore/optimize/apply_rule.hpp"

namespace ortool {
namespace {

/// How far behind a change a match can end, and how many nodes are looked at again for it.
constexpr std::size_t most_levels = 8;
constexpr std::size_t most_requeued = 48;
/// A graph is walked again while something fits; rules that undo each other end here, and so does
/// one that fits what it makes.
constexpr int most_sweeps = 16;
constexpr std::int64_t most_rewrites_a_node = 8;

class Rewriter {
 public:
  Rewriter(Graph& graph, std::span<const Rule> rules, const RewriteOptions& options,
           RewriteReport& report)
      : graph_(graph),
        options_(options),
        report_(report),
        order_(graph),
        most_rewrites_(report.rewrites + most_rewrites_a_node * (graph.node_count() + 1)) {
    for (const Rule& rule : rules) {
      for (std::string& op_type : root_operators(rule.pattern))
        rules_[std::move(op_type)].push_back(&rule);
    }
  }

  void run() {
    for (int sweep = 0; sweep < most_sweeps; ++sweep) {
      const std::int64_t before = report_.rewrites;
      for (Node& node : graph_.nodes()) push(&node);
      drain();
      if (report_.rewrites == before || report_.rewrites >= most_rewrites_) return;
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
    while (!queue_.empty() && report_.rewrites < most_rewrites_) {
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
    for (const Rule* rule : found->second) {
      Match match;
      if (!find_match(rule->pattern, node, match)) continue;
      Application application(*rule, match, order_, options_.has_own_operators);
      const Verdict verdict = application.apply();
      note(*rule, application.node_name(), verdict);
      if (!verdict.is_yes) continue;
      ++report_.rewrites;
      requeue(application.changed());
      return;
    }
  }

  void note(const Rule& rule, std::string node, const Verdict& verdict) {
    if (options_.keeps_events)
      report_.events.push_back({rule.name, std::move(node), verdict.reason});
  }

  /// What is new, and what stands behind it and behind values that lost readers.
  void requeue(const std::vector<Value*>& changed) {
    std::vector<Value*> level = changed;
    std::size_t count = 0;
    for (std::size_t depth = 0; depth < most_levels && count < most_requeued; ++depth) {
      std::vector<Value*> next;
      for (const Value* value : level) {
        if (depth == 0 && value->producer() != nullptr) push(value->producer());
        if (value->uses().size() > most_requeued) continue;
        for (const Use& use : value->uses()) {
          if (use.kind != Use::Kind::input || ++count > most_requeued) continue;
          push(use.node);
          for (std::int64_t i = 0; i < use.node->output_count(); ++i) {
            if (use.node->output(i) != nullptr) next.push_back(use.node->output(i));
          }
        }
      }
      level = std::move(next);
    }
  }

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
  std::int64_t most_rewrites_;
  std::unordered_map<std::string, std::vector<const Rule*>, TextHash, std::equal_to<>> rules_;
  std::deque<Node*> queue_;
  std::vector<bool> is_queued_;
};

}  // namespace

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

void rewrite(Graph& graph, std::span<const Rule> rules, const RewriteOptions& options,
             RewriteReport& report) {
  if (rules.empty()) return;
  Rewriter(graph, rules, options, report).run();
}

}  // namespace ortool
