// Failing part: extracts the changed nodes as they were, with their inputs at that point.
#include "libcore/verify/failing_part.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/optimize/surgery/extract.hpp"

namespace ortool {
namespace {

/// The boundary values of a set of nodes, by name.
struct Edge {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
};

/// Nothing when not all nodes are in the main graph, or names are ambiguous.
std::optional<Edge> edge_of(const Graph& graph, const std::vector<std::string>& members) {
  const std::set<std::string, std::less<>> names(members.begin(), members.end());
  std::vector<const Node*> nodes;
  for (const Node& node : graph.nodes()) {
    if (names.contains(node.name())) nodes.push_back(&node);
  }
  if (nodes.size() != names.size()) return std::nullopt;
  const auto is_member = [&](const Node* node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
  };
  Edge edge;
  const auto add_input = [&](const Value* value) {
    if (value == nullptr || value->is_constant() || is_member(value->producer())) return;
    const std::string name(value->name());
    if (std::find(edge.inputs.begin(), edge.inputs.end(), name) == edge.inputs.end())
      edge.inputs.push_back(name);
  };
  for (const Node* node : nodes) {
    for (std::int64_t i = 0; i < node->input_count(); ++i) add_input(node->input(i));
    for (std::int64_t i = 0; i < node->implicit_input_count(); ++i)
      add_input(node->implicit_input(i));
    for (std::int64_t i = 0; i < node->output_count(); ++i) {
      const Value* value = node->output(i);
      const bool is_read_outside =
          value != nullptr && std::any_of(value->uses().begin(), value->uses().end(),
                                          [&](const Use& use) { return !is_member(use.node); });
      if (is_read_outside) edge.outputs.emplace_back(value->name());
    }
  }
  if (edge.inputs.empty() || edge.outputs.empty()) return std::nullopt;
  return edge;
}

class PartSearch {
 public:
  PartSearch(const Rewriting& rewriting, const Verifier& verifier, const Verification& verification)
      : rewriting_(rewriting), verifier_(verifier), verification_(verification) {}

  /// The changed nodes alone; nothing when they show no difference.
  std::optional<FailingPart> find_part() const {
    const CulpritChange& culprit = *verification_.culprit;
    try {
      const std::optional<Edge> edge = edge_of(*before_change()->graph, culprit.members);
      if (!edge) return std::nullopt;
      FailingPart pair{cut(*edge), changed(*edge), values_at(*edge), {}, true};
      const std::vector<RunValue> expected = run(cut(*edge), pair.inputs);
      const std::vector<RunValue> found = run(changed(*edge), pair.inputs);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (!verifier_.judge().compare_output(found[i], expected[i]).has_passed) return pair;
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid && error.code() != ErrorCode::unsupported) throw;
    }
    return std::nullopt;
  }

  FailingPart whole() const {
    FailingPart pair{rewriting_.load(), rewriting_.load(), verification_.inputs, {}, false};
    static_cast<void>(rewriting_.apply(*pair.after, verification_.culprit->number));
    return pair;
  }

  std::vector<RunValue> run(std::unique_ptr<Model> model, const NamedValues& inputs) const {
    return verifier_.run(*verifier_.make_session(std::move(model)), inputs);
  }

 private:
  std::unique_ptr<Model> before_change() const {
    std::unique_ptr<Model> model = rewriting_.load();
    static_cast<void>(rewriting_.apply(*model, verification_.culprit->number - 1));
    return model;
  }

  std::unique_ptr<Model> cut(const Edge& edge) const {
    return extract(before_change(), edge.inputs, edge.outputs);
  }

  std::unique_ptr<Model> changed(const Edge& edge) const {
    std::unique_ptr<Model> model = cut(edge);
    static_cast<void>(rewriting_.apply_only(*model, verification_.culprit->pass));
    return model;
  }

  /// The inputs of the nodes in the failing run.
  NamedValues values_at(const Edge& edge) const {
    std::vector<std::string> made;
    NamedValues values;
    for (const std::string& name : edge.inputs) {
      const auto given = std::find_if(verification_.inputs.begin(), verification_.inputs.end(),
                                      [&](const auto& input) { return input.first == name; });
      if (given != verification_.inputs.end()) {
        values.push_back(*given);
      } else {
        made.push_back(name);
      }
    }
    if (made.empty()) return values;
    std::unique_ptr<Model> model = extract(before_change(), {}, made);
    NamedValues inputs;
    for (const auto& input : verification_.inputs) {
      const Value* value = model->find_value(input.first);
      if (value != nullptr && value->is_graph_input()) inputs.push_back(input);
    }
    std::vector<RunValue> results = run(std::move(model), inputs);
    for (std::size_t i = 0; i < made.size(); ++i)
      values.emplace_back(made[i], std::move(results[i]));
    return values;
  }

  const Rewriting& rewriting_;
  const Verifier& verifier_;
  const Verification& verification_;
};

}  // namespace

FailingPart find_failing_part(const Rewriting& rewriting, const Verifier& verifier,
                              const Verification& verification) {
  const PartSearch search(rewriting, verifier, verification);
  std::optional<FailingPart> part = search.find_part();
  FailingPart pair = part ? std::move(*part) : search.whole();
  pair.outputs = search.run(copy_model(*pair.before), pair.inputs);
  return pair;
}

}  // namespace ortool
