// Checks of value definitions and uses: one name table for each graph, looked up through outer
// scopes.
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/check/checks.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

constexpr std::uint32_t no_node = static_cast<std::uint32_t>(-1);

struct Definition {
  std::uint32_t node = no_node;  ///< the node that produces it; none: an input or initializer
  bool is_input = false;
  bool is_initializer = false;
  bool is_used = false;
};

/// One node reads the output of another node in its graph.
struct Edge {
  std::uint32_t from;
  std::uint32_t to;
};

struct Scope {
  std::unordered_map<std::string_view, Definition> names;
  std::vector<Edge> edges;
};

std::string shown_name(std::string_view name) {
  return shorten(name, 200);
}

class ValueChecker {
 public:
  ValueChecker(const FileModel& model, const StopToken& stop, Findings& findings)
      : model_(model), stop_(stop), findings_(findings), scopes_(model.graphs.size()) {}

  void check() {
    for (std::size_t i = 0; i < scopes_.size(); ++i) define(i);
    for (std::size_t i = 0; i < scopes_.size(); ++i) read(i);
    for (std::size_t i = 0; i < scopes_.size(); ++i) {
      check_order(i);
      report_unused(i);
    }
  }

 private:
  std::string where(const FileGraph& graph) const {
    if (graph.around != FileGraph::none) {
      return format("graph {} inside node {}", quote(graph.name),
                    model_.graphs[graph.around].nodes[graph.owner].label());
    }
    return graph.function == FileGraph::none ? std::string("the main graph")
                                             : format("function {}", quote(graph.name));
  }

  void define(std::size_t index) {
    const FileGraph& graph = model_.graphs[index];
    auto& names = scopes_[index].names;
    for (const FileValue& input : graph.inputs) {
      if (input.name.empty()) continue;
      Definition& definition = names[input.name];
      if (definition.is_input) repeat({}, input.name, "is a graph input twice");
      definition.is_input = true;
      check_shadow(index, input.name, {});
    }
    for (const FileInitializer& initializer : graph.initializers) {
      if (initializer.name.empty()) continue;
      Definition& definition = names[initializer.name];
      if (definition.is_initializer) repeat({}, initializer.name, "is an initializer twice");
      if (!definition.is_input) check_shadow(index, initializer.name, {});
      definition.is_initializer = true;
    }
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      stop_.poll();
      for (const std::string_view output : graph.nodes[i].outputs) {
        if (output.empty()) continue;
        const auto [entry, is_new] =
            names.try_emplace(output, Definition{.node = static_cast<std::uint32_t>(i)});
        if (!is_new) {
          const Definition& other = entry->second;
          repeat(graph.nodes[i].label(), output,
                 other.node != no_node
                     ? format("is already the output of node {}", graph.nodes[other.node].label())
                     : format("is already a graph input or initializer"));
        } else {
          check_shadow(index, output, graph.nodes[i].label());
        }
      }
    }
  }

  void repeat(std::string node, std::string_view value, const std::string& what) {
    findings_.add("graph.name", {std::move(node), shown_name(value)},
                  format("the value {} {}", quote(value), what));
  }

  /// `node` is the label of the node that produces the value; empty for an input or initializer.
  void check_shadow(std::size_t index, std::string_view name, const std::string& node) {
    // Graphs come after their enclosing graphs, whose name tables are complete by now.
    std::size_t owner = model_.graphs[index].owner;
    for (std::size_t around = model_.graphs[index].around; around != FileGraph::none;
         owner = model_.graphs[around].owner, around = model_.graphs[around].around) {
      const auto outer = scopes_[around].names.find(name);
      if (outer == scopes_[around].names.end()) continue;
      const Definition& known = outer->second;
      const bool is_visible = known.node == no_node || known.node < owner;
      findings_.add(!node.empty() && is_visible ? "value.redefined" : "value.shadowed",
                    {node, shown_name(name)},
                    format("{} has a value {}, and so does the enclosing {}",
                           where(model_.graphs[index]), quote(name), where(model_.graphs[around])));
      return;
    }
  }

  void read(std::size_t index) {
    const FileGraph& graph = model_.graphs[index];
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      stop_.poll();
      const FileNode& node = graph.nodes[i];
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (node.inputs[k].empty()) continue;
        if (!look_up(index, node.inputs[k], static_cast<std::uint32_t>(i))) {
          undefined(index, node.label(), node.inputs[k], format("input {}", k));
        }
      }
    }
    for (const FileValue& output : graph.outputs) {
      if (output.name.empty()) continue;
      if (!look_up(index, output.name, no_node)) {
        undefined(index, {}, output.name, "the output of " + where(graph) + ",");
      }
    }
  }

  /// Marks the value as used and records the dependency; returns false if there is no such value.
  bool look_up(std::size_t index, std::string_view name, std::uint32_t reader) {
    while (true) {
      Scope& scope = scopes_[index];
      const auto found = scope.names.find(name);
      if (found != scope.names.end()) {
        found->second.is_used = true;
        if (found->second.node != no_node && reader != no_node) {
          scope.edges.push_back({found->second.node, reader});
        }
        return true;
      }
      const FileGraph& graph = model_.graphs[index];
      if (graph.around == FileGraph::none) return false;
      reader = static_cast<std::uint32_t>(graph.owner);
      index = graph.around;
    }
  }

  void undefined(std::size_t index, const std::string& node, std::string_view name,
                 const std::string& what) {
    // The number of suggestions is limited, since each costs time proportional to the graph.
    std::string hint;
    if (++nearest_looks_ <= 5) {
      NearestName nearest(name);
      for (const auto& [known, definition] : scopes_[index].names) nearest.offer(known);
      if (!nearest.best().empty()) hint = format("; did the model mean {}?", quote(nearest.best()));
    }
    findings_.add("graph.undefined", {node, shown_name(name)},
                  format("{} {} is neither a node's output nor a graph input or initializer{}",
                         what, quote(name), hint));
  }

  void check_order(std::size_t index) {
    const FileGraph& graph = model_.graphs[index];
    const std::vector<Edge>& edges = scopes_[index].edges;
    const auto count = graph.nodes.size();
    const auto is_backward = [](const Edge& edge) { return edge.from >= edge.to; };
    const auto first = std::find_if(edges.begin(), edges.end(), is_backward);
    if (first == edges.end()) return;
    if (const std::size_t stuck = find_cycle(edges, count); stuck != count) {
      findings_.add("graph.cycle", {graph.nodes[stuck].label(), {}},
                    format("{}: the node depends on its own outputs", where(graph)));
      return;
    }
    findings_.add("graph.order", {graph.nodes[first->to].label(), {}},
                  format("{}: the node comes before {}, whose output it reads ({} such places)",
                         where(graph), graph.nodes[first->from].label(),
                         std::count_if(edges.begin(), edges.end(), is_backward)));
  }

  /// A node on a cycle, or `count`.
  static std::size_t find_cycle(const std::vector<Edge>& edges, std::size_t count) {
    std::vector<std::uint32_t> waits(count);
    std::vector<std::uint32_t> begins(count + 1);
    for (const Edge& edge : edges) {
      ++waits[edge.to];
      ++begins[edge.from + 1];
    }
    for (std::size_t i = 0; i < count; ++i) begins[i + 1] += begins[i];
    std::vector<std::uint32_t> readers(edges.size());
    std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
    for (const Edge& edge : edges) readers[next[edge.from]++] = edge.to;
    std::vector<std::uint32_t> ready;
    for (std::size_t i = 0; i < count; ++i) {
      if (waits[i] == 0) ready.push_back(static_cast<std::uint32_t>(i));
    }
    while (!ready.empty()) {
      const std::uint32_t node = ready.back();
      ready.pop_back();
      for (std::uint32_t i = begins[node]; i < begins[node + 1]; ++i) {
        if (--waits[readers[i]] == 0) ready.push_back(readers[i]);
      }
    }
    // The remaining nodes are on a cycle or depend on one, so following them backward ends on a
    // cycle.
    const auto left = std::find_if(waits.begin(), waits.end(), [](auto n) { return n > 0; });
    if (left == waits.end()) return count;
    std::vector<std::uint32_t> before(count, no_node);
    for (const Edge& edge : edges) {
      if (waits[edge.from] > 0) before[edge.to] = edge.from;
    }
    auto node = static_cast<std::uint32_t>(left - waits.begin());
    for (std::size_t i = 0; i < count; ++i) node = before[node];
    return node;
  }

  void report_unused(std::size_t index) {
    const FileGraph& graph = model_.graphs[index];
    auto& names = scopes_[index].names;
    const auto is_used = [&](std::string_view name) {
      const auto found = names.find(name);
      return found != names.end() && found->second.is_used;
    };
    for (const FileInitializer& initializer : graph.initializers) {
      if (initializer.name.empty() || is_used(initializer.name)) continue;
      findings_.add("initializer.unused", {{}, shown_name(initializer.name)},
                    format("nothing reads the initializer {}", quote(initializer.name)));
    }
    for (const FileNode& node : graph.nodes) {
      if (std::any_of(node.outputs.begin(), node.outputs.end(), is_used)) continue;
      findings_.add("node.unused", {node.label(), {}}, "nothing reads the outputs of the node");
    }
    if (graph.around == FileGraph::none) {
      for (const FileValue& input : graph.inputs) {
        const auto found = names.find(input.name);
        const bool is_default = found != names.end() && found->second.is_initializer;
        if (input.name.empty() || is_default || is_used(input.name)) continue;
        findings_.add("input.unused", {{}, shown_name(input.name)},
                      format("nothing reads the input {} of {}", quote(input.name), where(graph)));
      }
    }
    std::unordered_map<std::string_view, bool> annotated;
    for (const FileValue& info : graph.value_infos) {
      if (!annotated.emplace(info.name, true).second) {
        findings_.add("value_info.repeated", {{}, shown_name(info.name)},
                      format("the type of {} is given twice", quote(info.name)));
      }
      if (names.contains(info.name)) continue;
      findings_.add("value_info.unknown", {{}, shown_name(info.name)},
                    format("a type is given for {}, which is not a value of {}", quote(info.name),
                           where(graph)));
    }
  }

  const FileModel& model_;
  const StopToken& stop_;
  Findings& findings_;
  std::vector<Scope> scopes_;
  int nearest_looks_ = 0;
};

}  // namespace

void check_values(const FileModel& model, const StopToken& stop, Findings& findings) {
  ValueChecker(model, stop, findings).check();
}

}  // namespace ortool
