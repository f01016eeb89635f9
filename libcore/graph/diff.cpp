// Model diff: matches graph by graph from the main graph inward and reports the differences.
#include "libcore/graph/diff.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/diff/compare_nodes.hpp"
#include "libcore/graph/diff/compare_weights.hpp"
#include "libcore/graph/diff/matcher.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool {
namespace {

using FunctionKey = std::tuple<std::string_view, std::string_view, std::string_view>;
using FunctionTable = std::map<FunctionKey, const Function*>;

FunctionKey key_of(const Function& function) {
  return {canonical_domain(function.domain), function.name, function.overload};
}

FunctionTable table_of_functions(const Model& model) {
  FunctionTable table;
  for (const Function& function : model.functions) table.emplace(key_of(function), &function);
  return table;
}

using diff::Matching;

struct GraphPair {
  const Graph* before;
  const Graph* after;
  std::string place;
  bool is_main;
};

/// Adds a change for each key that only one of the maps has, or whose values differ.
template <typename Map>
void compare_maps(const Map& before, const Map& after, const std::string& what,
                  std::vector<FieldChange>& changes) {
  for (const auto& [key, value] : before) {
    const auto other = after.find(key);
    if (other == after.end()) {
      changes.push_back({what + key, value, std::nullopt});
    } else if (other->second != value) {
      changes.push_back({what + key, value, other->second});
    }
  }
  for (const auto& [key, value] : after) {
    if (!before.contains(key)) changes.push_back({what + key, std::nullopt, value});
  }
}

std::map<std::string, std::string> opset_texts(const Graph& graph) {
  std::map<std::string, std::string> texts;
  for (const auto& [domain, version] : graph.opsets()) {
    texts[domain.empty() ? "ai.onnx" : domain] = std::to_string(version);
  }
  return texts;
}

std::string function_name(const Function& function) {
  std::string name = function.domain.empty() ? "" : function.domain + ".";
  name += function.name;
  return function.overload.empty() ? name : name + ":" + function.overload;
}

/// The minimum number of elements to remove from a permutation so that the rest is sorted.
std::int64_t count_moved(const std::vector<std::int64_t>& positions) {
  std::vector<std::int64_t> ends;
  for (const std::int64_t position : positions) {
    const auto place = std::lower_bound(ends.begin(), ends.end(), position);
    if (place == ends.end()) {
      ends.push_back(position);
    } else {
      *place = position;
    }
  }
  return static_cast<std::int64_t>(positions.size() - ends.size());
}

class ModelComparison {
 public:
  ModelComparison(const Model& before, const Model& after, const DiffOptions& options)
      : before_(before),
        after_(after),
        options_(options),
        hasher_(options.reads_weights, options.is_default),
        weights_(matching_, hasher_, options) {}

  ModelDiff run() {
    compare_headers();
    open_.push_back({before_.graph.get(), after_.graph.get(), "", true});
    compare_functions();
    while (!open_.empty()) {
      const GraphPair next = std::move(open_.front());
      open_.pop_front();
      match_graphs(next);
    }
    for (const GraphPair& pair : done_) compare_graphs(pair);
    weights_.compare(result_);
    return std::move(result_);
  }

 private:
  using Values = std::span<Value* const>;
  using Pairs = std::vector<std::pair<const Value*, const Value*>>;

  void compare_headers();
  void compare_functions();
  Pairs pair_interface(Values before, Values after, const GraphPair& graphs, bool is_output);
  void match_graphs(const GraphPair& pair);
  void compare_graphs(const GraphPair& pair);
  void list_unmatched_nodes(const Graph& graph, const std::string& place,
                            std::vector<UnmatchedNode>& list);
  void count_renames(const Node& before, const Node& after);

  const Model& before_;
  const Model& after_;
  const DiffOptions& options_;
  Matching matching_;
  diff::NodeHasher hasher_;
  diff::WeightComparison weights_;
  std::deque<GraphPair> open_;
  std::vector<GraphPair> done_;
  std::unordered_map<const Graph*, Pairs> outputs_of_;
  ModelDiff result_;
};

void ModelComparison::compare_headers() {
  const auto texts = [](const Model& model) {
    return std::map<std::string, std::string>{
        {"IR version", std::to_string(model.ir_version)},
        {"producer", model.producer_name + " " + model.producer_version},
        {"domain", model.domain},
        {"model version", std::to_string(model.model_version)},
        {"doc string", model.doc_string},
        {"graph name", model.graph->name()},
    };
  };
  const auto metadata = [](const Model& model) {
    return std::map<std::string, std::string>(model.metadata.begin(), model.metadata.end());
  };
  compare_maps(texts(before_), texts(after_), "", result_.header);
  compare_maps(opset_texts(*before_.graph), opset_texts(*after_.graph), "opset ", result_.opsets);
  compare_maps(metadata(before_), metadata(after_), "metadata ", result_.metadata);
}

void ModelComparison::compare_functions() {
  const auto compare_pair = [&](const Function& before, const Function& after) {
    const std::string what = format("function {}", quote(function_name(before)));
    const auto attributes = [](const Function& function) {
      std::map<std::string, std::string> texts;
      for (const std::string& name : function.attributes) texts[name] = "(no default)";
      for (const Attribute& attribute : function.attribute_defaults) {
        texts[attribute.name] = diff::attribute_text(attribute);
      }
      return texts;
    };
    compare_maps(attributes(before), attributes(after), what + " attribute ", result_.functions);
    compare_maps(opset_texts(*before.body), opset_texts(*after.body), what + " opset ",
                 result_.functions);
    const std::string counts[2] = {
        format("{} inputs, {} outputs", before.body->inputs().size(),
               before.body->outputs().size()),
        format("{} inputs, {} outputs", after.body->inputs().size(), after.body->outputs().size())};
    if (counts[0] != counts[1]) result_.functions.push_back({what, counts[0], counts[1]});
    open_.push_back({before.body.get(), after.body.get(), what, false});
  };
  const FunctionTable of_before = table_of_functions(before_);
  const FunctionTable of_after = table_of_functions(after_);
  for (const Function& function : before_.functions) {
    const auto found = of_after.find(key_of(function));
    const Function* other = found != of_after.end() ? found->second : nullptr;
    if (other != nullptr) {
      compare_pair(function, *other);
    } else {
      result_.functions.push_back({"function", function_name(function), std::nullopt});
    }
  }
  for (const Function& function : after_.functions) {
    if (!of_before.contains(key_of(function))) {
      result_.functions.push_back({"function", std::nullopt, function_name(function)});
    }
  }
}

/// Pairs inputs and outputs: by name, then by position in a main graph; by position in subgraphs.
ModelComparison::Pairs ModelComparison::pair_interface(Values before, Values after,
                                                       const GraphPair& graphs, bool is_output) {
  Pairs pairs;
  std::vector<const Value*> left_before;
  std::vector<const Value*> left_after(after.begin(), after.end());
  if (graphs.is_main) {
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (std::size_t i = 0; i < after.size(); ++i) by_name.emplace(after[i]->name(), i);
    for (const Value* value : before) {
      const auto found = by_name.find(value->name());
      if (found != by_name.end() && left_after[found->second] != nullptr) {
        pairs.emplace_back(value, left_after[found->second]);
        left_after[found->second] = nullptr;
      } else {
        left_before.push_back(value);
      }
    }
    std::erase(left_after, nullptr);
  } else {
    left_before.assign(before.begin(), before.end());
  }
  const std::size_t common = std::min(left_before.size(), left_after.size());
  for (std::size_t i = 0; i < common; ++i) pairs.emplace_back(left_before[i], left_after[i]);
  if (!graphs.is_main) return pairs;
  for (const auto& [from, to] : pairs) {
    const bool has_other_type = from->type().to_string() != to->type().to_string();
    if (has_other_type) {
      result_.values.push_back({is_output, from, to});
    } else if (from->name() != to->name()) {
      result_.renamed_values.push_back({is_output, from, to});
    }
  }
  for (std::size_t i = common; i < left_before.size(); ++i) {
    result_.values.push_back({is_output, left_before[i], nullptr});
  }
  for (std::size_t i = common; i < left_after.size(); ++i) {
    result_.values.push_back({is_output, nullptr, left_after[i]});
  }
  return pairs;
}

void ModelComparison::match_graphs(const GraphPair& pair) {
  for (const auto& [before, after] :
       pair_interface(pair.before->inputs(), pair.after->inputs(), pair, false)) {
    matching_.pair(*before, *after);
  }
  Pairs outputs = pair_interface(pair.before->outputs(), pair.after->outputs(), pair, true);
  diff::GraphMatcher(*pair.before, *pair.after, hasher_, matching_, outputs, options_).match();
  outputs_of_.emplace(pair.before, std::move(outputs));
  for (const Node& node : pair.before->nodes()) {
    const Node* other = matching_.partner(node);
    if (other == nullptr) continue;
    weights_.add_nodes(node, *other);
    for (const Attribute& attribute : node.attributes()) {
      const Attribute* same = other->find_attribute(attribute.name);
      if (same == nullptr || same->value.index() != attribute.value.index()) continue;
      const std::string place = format("{} of {}", attribute.name, quote(node.name()));
      if (const auto* graph = std::get_if<std::unique_ptr<Graph>>(&attribute.value)) {
        const auto& inside = std::get<std::unique_ptr<Graph>>(same->value);
        open_.push_back({graph->get(), inside.get(), place, false});
      } else if (const auto* graphs = std::get_if<Attribute::Graphs>(&attribute.value)) {
        const auto& others = std::get<Attribute::Graphs>(same->value);
        for (std::size_t i = 0; i < std::min(graphs->size(), others.size()); ++i) {
          open_.push_back(
              {(*graphs)[i].get(), others[i].get(), format("{} [{}]", place, i), false});
        }
      }
    }
  }
  weights_.add_graph(0, *pair.before, pair.place);
  weights_.add_graph(1, *pair.after, pair.place);
  done_.push_back(pair);
}

void ModelComparison::list_unmatched_nodes(const Graph& graph, const std::string& place,
                                           std::vector<UnmatchedNode>& list) {
  for (const Node& node : graph.nodes()) {
    if (!diff::is_constant_node(node) && matching_.partner(node) == nullptr) {
      list.push_back({&node, place});
    }
  }
}

void ModelComparison::count_renames(const Node& before, const Node& after) {
  const bool has_names = before.has_name_of_its_own() || after.has_name_of_its_own();
  if (has_names && before.name() != after.name()) {
    result_.renamed_nodes.push_back({&before, &after});
  }
  for (std::int64_t i = 0; i < std::min(before.output_count(), after.output_count()); ++i) {
    const Value* from = before.output(i);
    const Value* to = after.output(i);
    if (from == nullptr || to == nullptr) continue;
    result_.matched_values.emplace_back(from, to);
    if (from->is_graph_output()) continue;
    result_.renamed_inner_values += from->name() != to->name() ? 1 : 0;
  }
}

void ModelComparison::compare_graphs(const GraphPair& pair) {
  std::unordered_map<const Node*, std::int64_t> positions;
  for (const Node& node : pair.after->nodes()) {
    positions.emplace(&node, static_cast<std::int64_t>(positions.size()));
  }
  std::vector<std::int64_t> order;
  for (const Node& node : pair.before->nodes()) {
    const Node* other = matching_.partner(node);
    if (other == nullptr) continue;
    ++result_.matched_nodes;
    order.push_back(positions.at(other));
    count_renames(node, *other);
    std::vector<FieldChange> changes = diff::compare_nodes(node, *other, matching_, options_);
    if (!changes.empty()) {
      result_.changed.push_back({&node, other, pair.place, std::move(changes)});
    }
  }
  result_.reordered_nodes += count_moved(order);
  list_unmatched_nodes(*pair.before, pair.place, result_.removed);
  list_unmatched_nodes(*pair.after, pair.place, result_.added);
  for (const auto& [before, after] : outputs_of_.at(pair.before)) {
    if (diff::is_same_source(before, after, matching_)) continue;
    const auto source = [](const Value& value) {
      if (value.producer() == nullptr) return format("value {}", quote(value.name()));
      return format("node {}", quote(value.producer()->name()));
    };
    const std::string where = pair.place.empty() ? "" : pair.place + ": ";
    result_.interface.push_back(
        {format("{}output {}", where, quote(before->name())), source(*before), source(*after)});
  }
  if (pair.is_main) return;
  const auto counts = [](const Graph& graph) {
    return format("{} inputs, {} outputs", graph.inputs().size(), graph.outputs().size());
  };
  if (!pair.place.starts_with("function ") && counts(*pair.before) != counts(*pair.after)) {
    result_.interface.push_back({pair.place, counts(*pair.before), counts(*pair.after)});
  }
}

}  // namespace

bool ModelDiff::is_different() const {
  return !added.empty() || !removed.empty() || !changed.empty() || !weights.empty() ||
         !values.empty() || !interface.empty() || !opsets.empty() || !metadata.empty() ||
         !functions.empty();
}

ModelDiff diff_models(const Model& before, const Model& after, const DiffOptions& options) {
  return ModelComparison(before, after, options).run();
}

}  // namespace ortool
