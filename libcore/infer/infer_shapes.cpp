// A walk over the nodes in order, each one's shape rule fed with what is known before it.
#include "libcore/infer/infer_shapes.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/check_node.hpp"

namespace ortool {
namespace {

/// Integer values of rank 0 or 1 known as dimensions, for values that are no constants.
using KnownDimensions = std::unordered_map<const Value*, Dimensions>;

constexpr std::int64_t most_known_elements = 1024;

class GraphContext : public InferContext {
 public:
  GraphContext(const Node& node, KnownDimensions& known, std::vector<std::string>& warnings)
      : node_(node), known_(known), warnings_(warnings) {}

  std::int64_t input_count() const override { return node_.input_count(); }
  std::int64_t output_count() const override { return node_.output_count(); }
  bool has_output(std::int64_t index) const override { return node_.output(index) != nullptr; }

  const ValueType* input_type(std::int64_t index) const override {
    const Value* value = node_.input(index);
    return value != nullptr ? &value->type() : nullptr;
  }

  const Tensor* input_value(std::int64_t index) const override {
    const Value* value = node_.input(index);
    return value != nullptr && value->is_constant() ? &value->constant() : nullptr;
  }

  std::optional<Dimensions> input_dimensions(std::int64_t index) const override {
    const Value* value = node_.input(index);
    if (value == nullptr) return std::nullopt;
    if (const Tensor* tensor = input_value(index)) return constant_dimensions(*tensor);
    const auto found = known_.find(value);
    if (found != known_.end()) return found->second;
    return dimensions_of_known_count(value->type());
  }

  void set_output_type(std::int64_t index, ValueType type) override {
    Value* value = node_.output(index);
    if (value == nullptr) return;
    value->set_type(merge(*value, std::move(type)));
  }

  void set_output_dimensions(std::int64_t index, Dimensions values) override {
    if (node_.output(index) != nullptr) known_[node_.output(index)] = std::move(values);
  }

 private:
  static std::optional<Dimensions> constant_dimensions(const Tensor& tensor) {
    const bool is_shape_like = tensor.type() == DataType::int64 || tensor.type() == DataType::int32;
    if (!is_shape_like || tensor.shape().rank() > 1 ||
        tensor.element_count() > most_known_elements) {
      return std::nullopt;
    }
    const std::vector<std::int64_t> numbers = integers_of(tensor);
    if (std::any_of(numbers.begin(), numbers.end(),
                    [](std::int64_t number) { return number < 0; })) {
      return std::nullopt;
    }
    return Dimensions(numbers.begin(), numbers.end());
  }

  /// Nothing known of the values but how many there are.
  static std::optional<Dimensions> dimensions_of_known_count(const ValueType& type) {
    const std::optional<Shape> shape = type.is_tensor() ? to_known(type.shape) : std::nullopt;
    if (!shape || shape->rank() > 1 || shape->element_count() > most_known_elements)
      return std::nullopt;
    return Dimensions(static_cast<std::size_t>(shape->element_count()));
  }

  ValueType merge(const Value& value, ValueType inferred) {
    const ValueType& declared = value.type();
    if (!declared.is_tensor() || !inferred.is_tensor()) {
      return inferred.kind == ValueType::Kind::unknown ? declared : inferred;
    }
    if (inferred.element == DataType::undefined) inferred.element = declared.element;
    if (declared.element != DataType::undefined && declared.element != inferred.element) {
      throw Error(ErrorCode::invalid,
                  format("the file declares output '{}' as {}, but the operator gives {}",
                         value.name(), name_of(declared.element), name_of(inferred.element)))
          .with_id("value.type");
    }
    if (!declared.shape) return inferred;
    if (!inferred.shape) {
      inferred.shape = declared.shape;
      return inferred;
    }
    if (declared.shape->size() != inferred.shape->size()) {
      warn(value, declared, inferred);
      return inferred;
    }
    for (std::size_t i = 0; i < inferred.shape->size(); ++i) {
      Dimension& mine = (*inferred.shape)[i];
      const Dimension& theirs = (*declared.shape)[i];
      if (mine.is_known() && theirs.is_known() && mine != theirs) {
        warn(value, declared, inferred);
        return inferred;
      }
      if (mine.is_unknown()) mine = theirs;
    }
    return inferred;
  }

  void warn(const Value& value, const ValueType& declared, const ValueType& inferred) {
    warnings_.push_back(format("the file declares '{}' as {}, but its node gives {}", value.name(),
                               declared.to_string(), inferred.to_string()));
  }

  const Node& node_;
  KnownDimensions& known_;
  std::vector<std::string>& warnings_;
};

void infer_graph(const Graph& graph, KnownDimensions& known, std::vector<std::string>& warnings) {
  for (Node& node : graph.nodes()) {
    const OpEntry* entry = find_op(node.domain(), node.op_type());
    const OpVersion* version = entry != nullptr ? version_of(*entry, node) : nullptr;
    if (version != nullptr) {
      check_node(node);
      try {
        GraphContext context(node, known, warnings);
        entry->infer(node, *version, context);
      } catch (Error& error) {
        throw error.at_node(node.name(), node.op_type());
      }
    }
    for (const Graph* subgraph : node.subgraphs()) {
      for (Value* capture : subgraph->captures()) {
        capture->set_type(capture->captured()->type());
        const auto found = known.find(capture->captured());
        if (found != known.end()) known[capture] = found->second;
      }
      infer_graph(*subgraph, known, warnings);
    }
  }
}

/// Throws when `shape` contradicts what the model declares of `input`.
void check_fits(const Value& input, const Shape& shape) {
  const PartialShape& declared = input.type().shape;
  if (!declared) return;
  bool fits = static_cast<std::int64_t>(declared->size()) == shape.rank();
  for (std::size_t i = 0; fits && i < declared->size(); ++i) {
    const Dimension& dimension = (*declared)[i];
    fits = !dimension.is_known() || dimension.number() == shape[static_cast<std::int64_t>(i)];
  }
  if (!fits) {
    throw Error(ErrorCode::invalid,
                format("input '{}' cannot have the shape {} (the model declares {})", input.name(),
                       shape.to_string(), to_string(declared)),
                "give a shape of that rank, with the model's own numbers where it has them");
  }
}

}  // namespace

void infer_shapes(Model& model) {
  KnownDimensions known;
  infer_graph(*model.graph, known, model.warnings);
}

void fix_dimension(Model& model, std::string_view symbol, std::int64_t number) {
  bool found = false;
  for (Value* input : model.graph->inputs()) {
    ValueType type = input->type();
    if (!type.is_tensor() || !type.shape) continue;
    for (Dimension& dimension : *type.shape) {
      if (dimension.symbol() != symbol) continue;
      dimension = Dimension(number);
      found = true;
    }
    input->set_type(std::move(type));
  }
  if (!found) {
    throw Error(ErrorCode::invalid, format("no input of the model has a dimension '{}'", symbol),
                "'ortool inspect' shows the inputs with their dimensions");
  }
}

void fix_shape(Model& model, std::string_view input, const Shape& shape) {
  Value* value = model.graph->find_value(input);
  if (value == nullptr || !value->is_graph_input()) {
    throw Error(ErrorCode::invalid, format("the model has no input '{}'", input),
                "'ortool inspect' shows the inputs");
  }
  check_fits(*value, shape);
  ValueType type = value->type();
  if (type.is_tensor() && type.shape) {
    for (std::size_t i = 0; i < type.shape->size(); ++i) {
      const Dimension old = (*type.shape)[i];
      if (old.is_symbol()) fix_dimension(model, old.symbol(), shape[static_cast<std::int64_t>(i)]);
    }
    type = value->type();
  }
  type.shape = to_partial(shape);
  value->set_type(std::move(type));
}

}  // namespace ortool
