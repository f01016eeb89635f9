// The same constants as before, as levels, with nodes that make floats of them.
#include "libcore/quantize/weight_only.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "libcore/base/nearest.hpp"
#include "libcore/quantize/insert_qdq.hpp"
#include "libcore/quantize/node_writer.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Smaller tensors gain nothing.
constexpr std::int64_t least_elements = 256;

struct StoredLevels {
  Value* levels = nullptr;
  Value* scales = nullptr;
};

class WeightWriter {
 public:
  explicit WeightWriter(const WeightOnlyOptions& options) : options_(options) {}

  void write(const PlannedNode& planned);
  std::int64_t count() const { return static_cast<std::int64_t>(stored_.size()); }

 private:
  using Key = std::tuple<const Value*, std::int64_t>;

  StoredLevels& store(Value& weights, std::optional<std::int64_t> axis);
  StoredLevels& store_blocks(Value& weights);
  void dequantize(Node& node, std::int64_t input, std::optional<std::int64_t> axis);
  void dequantize_rows(Node& gather);

  const WeightOnlyOptions& options_;
  std::map<Key, StoredLevels> stored_;
};

bool is_recurrent(const Node& node) {
  return node.domain().empty() &&
         (node.op_type() == "LSTM" || node.op_type() == "GRU" || node.op_type() == "RNN");
}

bool is_worthwhile(Value* value) {
  const Value* constant = constant_behind(value);
  return constant != nullptr && constant->constant().type() == DataType::float32 &&
         constant->constant().element_count() >= least_elements;
}

StoredLevels& WeightWriter::store(Value& weights, std::optional<std::int64_t> axis) {
  StoredLevels& stored = stored_[{&weights, axis.value_or(-1)}];
  if (stored.levels != nullptr) return stored;
  WeightOptions options = options_.weights;
  options.axis = axis;
  WeightLevels made = quantize_weights(weights.constant(), options, options_.cap);
  Graph& graph = weights.graph();
  stored.levels = &graph.add_constant("", std::move(made.data));
  stored.scales = &graph.add_constant("", std::move(made.scales));
  return stored;
}

/// Blocks of rows of each column.
StoredLevels& WeightWriter::store_blocks(Value& weights) {
  StoredLevels& stored = stored_[{&weights, -2}];
  if (stored.levels != nullptr) return stored;
  const Tensor& matrix = weights.constant();
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  const std::int64_t size = options_.block_size;
  const std::int64_t blocks = (rows + size - 1) / size;
  const QuantizationType type = options_.weights.type;
  const Levels levels = levels_of(type);
  Tensor data(type.type, matrix.shape(), options_.cap);
  Tensor scales(DataType::float32, Shape({blocks, columns}), options_.cap);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t last = std::min(rows, (block + 1) * size);
    for (std::int64_t column = 0; column < columns; ++column) {
      double largest = 0;
      for (std::int64_t row = block * size; row < last; ++row) {
        const double number = element_as_double(matrix, row * columns + column);
        if (!std::isfinite(number))
          throw Error(ErrorCode::invalid, "its weights hold NaN or infinities");
        largest = std::max(largest, std::abs(number));
      }
      const Scale scale = choose_scale({-largest, largest}, type);
      scales.mutable_data<float>()[static_cast<std::size_t>(block * columns + column)] =
          scale.scale;
      for (std::int64_t row = block * size; row < last; ++row) {
        const std::int64_t at = row * columns + column;
        const auto number = static_cast<float>(element_as_double(matrix, at));
        set_element(data, at, to_level(number, scale, levels));
      }
    }
  }
  Graph& graph = weights.graph();
  stored.levels = &graph.add_constant("", std::move(data));
  stored.scales = &graph.add_constant("", std::move(scales));
  return stored;
}

void WeightWriter::dequantize(Node& node, std::int64_t input, std::optional<std::int64_t> axis) {
  Value& weights = *constant_behind(node.input(input));
  const bool has_blocks = options_.block_size > 0 && node.op_type() == "MatMul" && input == 1 &&
                          weights.constant().shape().rank() == 2;
  const StoredLevels& stored = has_blocks ? store_blocks(weights) : store(weights, axis);
  Graph& graph = node.graph();
  const NodeWriter writer(graph, &node);
  Value& floats = writer.add("DequantizeLinear",
                             {&seen_in(graph, *stored.levels), &seen_in(graph, *stored.scales)});
  floats.set_type(ValueType::tensor(DataType::float32, node.input(input)->type().shape));
  if (has_blocks) {
    NodeWriter::set(floats, "axis", 0);
    NodeWriter::set(floats, "block_size", options_.block_size);
  } else if (axis) {
    NodeWriter::set(floats, "axis", *axis);
  }
  graph.set_input(node, input, &floats);
}

/// Gather(table) -> Cast(Gather(levels)) * Gather(scales)
void WeightWriter::dequantize_rows(Node& gather) {
  Value& table = *constant_behind(gather.input(0));
  const StoredLevels& stored = store(table, 0);
  Graph& graph = gather.graph();
  if (stored.scales->constant().shape().rank() == 1) {
    const std::int64_t rows = stored.scales->constant().element_count();
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(table.constant().shape().rank()), 1);
    sizes.front() = rows;
    stored.scales->graph().set_constant(*stored.scales,
                                        stored.scales->constant().reshaped(Shape(sizes)));
  }
  const NodeWriter writer(graph, &gather);
  Value* const indices = gather.input(1);
  Value& levels = writer.add("Gather", {&seen_in(graph, *stored.levels), indices});
  Value& scales = writer.add("Gather", {&seen_in(graph, *stored.scales), indices});
  Value& floats = writer.add("Cast", {&levels});
  NodeWriter::set(floats, "to", static_cast<std::int64_t>(DataType::float32));
  Value& result = *gather.output(0);
  graph.remove_node(gather);
  Node* const before = floats.producer()->next();
  Value* const inputs[] = {&floats, &scales};
  Value* const outputs[] = {&result};
  graph.add_node("Mul", "", inputs, outputs, {}, before);
}

void WeightWriter::write(const PlannedNode& planned) {
  Node& node = *planned.node;
  try {
    if (planned.is_quantized && planned.weight_input >= 0) {
      if (options_.has_products && is_worthwhile(node.input(planned.weight_input)))
        dequantize(node, planned.weight_input, planned.weight_axis);
    } else if (is_recurrent(node) && planned.reason.find("left out") == std::string::npos) {
      for (const std::int64_t input : {1, 2}) {
        if (is_worthwhile(node.input(input))) dequantize(node, input, 1);
      }
    } else if (node.domain().empty() && node.op_type() == "Gather" &&
               is_worthwhile(node.input(0)) && constant_behind(node.input(1)) == nullptr &&
               planned.reason.find("left out") == std::string::npos) {
      const Attribute* axis = node.find_attribute("axis");
      const bool is_first = axis == nullptr || std::get<std::int64_t>(axis->value) == 0;
      if (is_first && element_bits(options_.weights.type.type) == 8) dequantize_rows(node);
    }
  } catch (Error& error) {
    throw error.at_node(shorten(node.name()), node.op_type());
  }
}

}  // namespace

std::int64_t quantize_weights_only(Model& model, const QuantizePlan& plan,
                                   const WeightOnlyOptions& options) {
  WeightWriter writer(options);
  for (const PlannedNode& planned : plan.nodes) writer.write(planned);
  drop_unread_constants(model);
  return writer.count();
}

}  // namespace ortool
