// Model extraction: walks from the outputs back to the inputs, and copies what it visits.
#include "libcore/optimize/surgery/extract.hpp"

#include <algorithm>
#include <unordered_set>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/surgery/copy_part.hpp"

namespace ortool {
namespace {

Error about_name(std::string message, std::string hint) {
  return Error(ErrorCode::invalid, std::move(message), std::move(hint)).with_id("extract.name");
}

bool holds(const std::vector<Value*>& values, const Value& value) {
  return std::find(values.begin(), values.end(), &value) != values.end();
}

Value& value_of(const Model& model, const std::string& name) {
  const Graph& graph = *model.graph;
  if (Value* value = graph.find_value(name)) return *value;
  for (const Graph* inner : graphs_in(model)) {
    const Value* value = inner->find_value(name);
    if (value == nullptr || inner == &graph || inner->owner() == nullptr) continue;
    throw about_name(format("{} is inside node {} ({})", quote(name), quote(inner->owner()->name()),
                            inner->owner()->op_type()),
                     "only values of the main graph can be extracted");
  }
  NearestName nearest(name);
  std::vector<std::string> known;
  for (const Value* value : graph.values()) {
    if (value->is_constant()) continue;
    nearest.offer(value->name());
    known.emplace_back(value->name());
  }
  throw about_name(format("the model has no value {}", quote(name)),
                   (nearest.best().empty() ? std::string()
                                           : format("did you mean {}? ", quote(nearest.best()))) +
                       format("the values are: {}", list_names(known, 420)));
}

class Extraction {
 public:
  explicit Extraction(Model& model) : model_(model), graph_(*model.graph) {}

  std::unique_ptr<Model> run(const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs) {
    for (const std::string& name : inputs) add_input(name);
    for (const std::string& name : outputs) outputs_.push_back(&value_of(model_, name));
    if (outputs.empty()) outputs_.assign(graph_.outputs().begin(), graph_.outputs().end());
    find_needed();
    check_inputs();
    for (Value* input : graph_.inputs()) {
      if (met_.contains(input) && !holds(inputs_, *input)) inputs_.push_back(input);
    }
    std::unique_ptr<Model> part = copy_part(model_, needed_, inputs_, outputs_);
    for (Value* input : part->graph->inputs()) resolve_type(*input);
    for (Value* output : part->graph->outputs()) resolve_type(*output);
    return part;
  }

 private:
  void add_input(const std::string& name) {
    Value& value = value_of(model_, name);
    if (value.is_constant())
      throw about_name(format("{} is a constant", quote(name)), "constants need no input");
    if (!holds(inputs_, value)) inputs_.push_back(&value);
  }

  void find_needed() {
    std::vector<const Value*> open(outputs_.begin(), outputs_.end());
    while (!open.empty()) {
      const Value& value = *open.back();
      open.pop_back();
      if (!met_.insert(&value).second || holds(inputs_, value) || value.producer() == nullptr)
        continue;
      const Node& node = *value.producer();
      if (!needed_.insert(&node).second) continue;
      for (std::int64_t i = 0; i < node.input_count(); ++i) {
        if (node.input(i) != nullptr) open.push_back(node.input(i));
      }
      for (std::int64_t i = 0; i < node.implicit_input_count(); ++i)
        open.push_back(node.implicit_input(i));
    }
  }

  void check_inputs() const {
    for (const Value* input : inputs_) {
      if (!met_.contains(input)) {
        throw about_name(format("none of the outputs needs {}", quote(input->name())),
                         "leave it out, or choose outputs after it");
      }
      if (input->producer() != nullptr && needed_.contains(input->producer())) {
        throw about_name(
            format("{} cannot become an input, since other outputs of node {} are needed",
                   quote(input->name()), quote(input->producer()->name())),
            "choose inputs of that node");
      }
      if (input->type().kind == ValueType::Kind::unknown) {
        throw Error(ErrorCode::invalid, format("the type of {} is unknown", quote(input->name())),
                    "choose a value before the operator that ortool does not support")
            .with_id("extract.type");
      }
    }
  }

  /// Formulas are not valid dimension names.
  static void resolve_type(Value& value) {
    ValueType type = value.type();
    if (!type.shape) return;
    for (Dimension& dimension : *type.shape) {
      if (!dimension.is_known() && !dimension.is_symbol()) dimension = Dimension();
    }
    value.set_type(std::move(type));
  }

  Model& model_;
  Graph& graph_;
  std::vector<Value*> inputs_;
  std::vector<Value*> outputs_;
  std::unordered_set<const Value*> met_;
  std::unordered_set<const Node*> needed_;
};

}  // namespace

std::unique_ptr<Model> extract(std::unique_ptr<Model> model, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs) {
  return Extraction(*model).run(inputs, outputs);
}

}  // namespace ortool
