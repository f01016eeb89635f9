// Weight-only quantization: float constants become quantized ones with dequantizing nodes.
#include "libcore/quantize/scheme/weight_only.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "libcore/base/file/file.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/quantize/scheme/block_product.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/node_writer.hpp"
#include "libcore/quantize/scheme/share_weights.hpp"
#include "libcore/quantize/scheme/subgraph_weights.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Smaller tensors save nothing.
constexpr std::int64_t min_stored_elements = 256;
/// For tables, whose rows have a four-byte scale each.
constexpr std::int64_t min_row = 8;

/// The zero points as a constant; null when they equal the default.
Value* store_zero_points(Graph& graph, Tensor zero_points) {
  const std::byte* bytes = zero_points.bytes();
  const bool is_zero = std::all_of(bytes, bytes + zero_points.size_bytes(),
                                   [](std::byte each) { return each == std::byte{0}; });
  return is_zero ? nullptr : &graph.add_constant("", std::move(zero_points));
}

/// The last byte of packed elements may be partly unused.
void clear(Tensor& tensor) {
  std::fill_n(tensor.mutable_bytes(), tensor.size_bytes(), std::byte{0});
}

BlockOptions block_options(const WeightOnlyOptions& options) {
  BlockOptions blocks;
  blocks.bits = element_bits(options.weights.type.type);
  blocks.block_size = options.block_size;
  blocks.is_symmetric = options.weights.type.type != DataType::uint8;
  return blocks;
}

/// The scale type that DequantizeLinear needs for weights of a type.
DataType scale_type(DataType weights) {
  return weights == DataType::float64 ? DataType::float32 : weights;
}

class WeightWriter {
 public:
  explicit WeightWriter(const WeightOnlyOptions& options)
      : options_(options), block_products_(block_options(options), options.cap, options.store) {}

  /// Announces a node that write() will be called for.
  void expect(const PlannedNode& planned);
  void write(const PlannedNode& planned);
  std::int64_t count() const {
    return static_cast<std::int64_t>(stored_.size()) + block_products_.count();
  }

 private:
  using Key = std::tuple<const Value*, std::int64_t>;

  QuantizedConstants& store(Value& weights, std::optional<std::int64_t> axis);
  QuantizedConstants& store_rows(Value& table);
  QuantizedData codes_with_own_scales(const Tensor& weights, const WeightOptions& options) const;
  QuantizedConstants& store_blocks(Value& weights);
  /// DequantizeLinear of `stored` before `node`, or at the start of `graph`.
  Value& add_floats(Graph& graph, Node* before, const QuantizedConstants& stored,
                    const Value& weights, std::optional<std::int64_t> axis, bool has_blocks) const;
  void dequantize(Node& node, std::int64_t input, std::optional<std::int64_t> axis);
  void dequantize_rows(Node& gather);

  const WeightOnlyOptions& options_;
  BlockProductWriter block_products_;
  std::map<Key, QuantizedConstants> stored_;
  SubgraphWeights bodies_;
};

bool is_worthwhile(Value* value) {
  const Value* constant = constant_behind(value);
  return constant != nullptr && is_floating_point(constant->constant().type()) &&
         constant->constant().element_count() >= min_stored_elements;
}

/// Quantizes with scales of the weights' own type; float32 for float64.
QuantizedData WeightWriter::codes_with_own_scales(const Tensor& weights,
                                                  const WeightOptions& options) const {
  const DataType type = scale_type(weights.type());
  std::vector<Scale> scales = choose_weight_scales(weights, options);
  for (Scale& each : scales) each.scale = scale_held_by(type, each.scale);
  QuantizedData made = quantize_with(weights, scales, options.axis, options.type, options_.cap);
  made.scales = convert(made.scales, type);
  return made;
}

QuantizedConstants& WeightWriter::store(Value& weights, std::optional<std::int64_t> axis) {
  QuantizedConstants& stored = stored_[{&weights, axis.value_or(-1)}];
  if (stored.codes != nullptr) return stored;
  WeightOptions options = options_.weights;
  options.axis = axis;
  QuantizedData made = codes_with_own_scales(weights.constant(), options);
  Graph& graph = weights.graph();
  stored.codes = &graph.add_constant("", kept(std::move(made.data), options_.store));
  stored.scales = &graph.add_constant("", std::move(made.scales));
  stored.zero_points = store_zero_points(graph, std::move(made.zero_points));
  return stored;
}

/// Quantizes the rows of a table to int8, whatever type products use: rows are dequantized by cast
/// and multiplication, so the zero point must be zero, and every runtime can gather int8.
QuantizedConstants& WeightWriter::store_rows(Value& table) {
  QuantizedConstants& stored = stored_[{&table, -3}];
  if (stored.codes != nullptr) return stored;
  WeightOptions options;
  options.axis = 0;
  QuantizedData made = codes_with_own_scales(table.constant(), options);
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(table.constant().shape().rank()), 1);
  sizes.front() = made.scales.element_count();
  Graph& graph = table.graph();
  stored.codes = &graph.add_constant("", kept(std::move(made.data), options_.store));
  // Rows are cast to the table's type, so the scales need that type as well, even for float64.
  stored.scales =
      &graph.add_constant("", convert(made.scales, table.constant().type()).reshaped(Shape(sizes)));
  return stored;
}

/// Quantizes blocks of rows of each column.
QuantizedConstants& WeightWriter::store_blocks(Value& weights) {
  QuantizedConstants& stored = stored_[{&weights, -2}];
  if (stored.codes != nullptr) return stored;
  const Tensor& matrix = weights.constant();
  const std::int64_t rows = matrix.shape()[0];
  const std::int64_t columns = matrix.shape()[1];
  const std::int64_t size = options_.block_size;
  const std::int64_t blocks = (rows + size - 1) / size;
  const QuantizationType type = options_.weights.type;
  const CodeRange codes = code_range_of(type);
  Tensor data(type.type, matrix.shape(), options_.cap);
  clear(data);
  const DataType scale_of = scale_type(matrix.type());
  Tensor scales(DataType::float32, Shape({blocks, columns}), options_.cap);
  Tensor zero_points(type.type, Shape({blocks, columns}), options_.cap);
  clear(zero_points);
  for (std::int64_t block = 0; block < blocks; ++block) {
    const std::int64_t last = std::min(rows, (block + 1) * size);
    for (std::int64_t column = 0; column < columns; ++column) {
      double largest = 0;
      for (std::int64_t row = block * size; row < last; ++row) {
        const double number = element_as_double(matrix, row * columns + column);
        if (!std::isfinite(number))
          throw Error(ErrorCode::invalid, "its weights contain NaN or infinities");
        largest = std::max(largest, std::abs(number));
      }
      Scale scale = choose_scale({-largest, largest}, type);
      scale.scale = scale_held_by(scale_of, scale.scale);
      const std::int64_t place = block * columns + column;
      scales.mutable_data<float>()[static_cast<std::size_t>(place)] = scale.scale;
      set_element(zero_points, place, scale.zero_point);
      for (std::int64_t row = block * size; row < last; ++row) {
        const std::int64_t at = row * columns + column;
        const auto number = static_cast<float>(element_as_double(matrix, at));
        set_element(data, at, to_code(number, scale, codes));
      }
    }
  }
  Graph& graph = weights.graph();
  drop_pages({matrix.bytes(), static_cast<std::size_t>(matrix.size_bytes())});
  stored.codes = &graph.add_constant("", kept(std::move(data), options_.store));
  stored.scales = &graph.add_constant("", convert(scales, scale_of));
  stored.zero_points = store_zero_points(graph, std::move(zero_points));
  return stored;
}

Value& WeightWriter::add_floats(Graph& graph, Node* before, const QuantizedConstants& stored,
                                const Value& weights, std::optional<std::int64_t> axis,
                                bool has_blocks) const {
  const NodeWriter writer(graph, before);
  std::vector<Value*> inputs = {stored.codes, stored.scales};
  if (stored.zero_points != nullptr) inputs.push_back(stored.zero_points);
  Value& floats = writer.add("DequantizeLinear", inputs);
  const DataType type = weights.constant().type();
  floats.set_type(ValueType::tensor(scale_type(type), weights.type().shape));
  if (has_blocks) {
    NodeWriter::set(floats, "axis", 0);
    NodeWriter::set(floats, "block_size", options_.block_size);
  } else if (axis) {
    NodeWriter::set(floats, "axis", *axis);
  }
  if (scale_type(type) == type) return floats;
  Value& wide = writer.add("Cast", {&floats});
  NodeWriter::set(wide, "to", static_cast<std::int64_t>(type));
  wide.set_type(ValueType::tensor(type, weights.type().shape));
  return wide;
}

void WeightWriter::dequantize(Node& node, std::int64_t input, std::optional<std::int64_t> axis) {
  Value& weights = *constant_behind(node.input(input));
  const bool has_blocks = options_.block_size > 0 && node.op_type() == "MatMul" && input == 1 &&
                          weights.constant().shape().rank() == 2;
  const QuantizedConstants& stored = has_blocks ? store_blocks(weights) : store(weights, axis);
  Graph& graph = node.graph();
  if (bodies_.takes_copies(weights, options_.weights.type.type)) {
    const QuantizedConstants here = bodies_.copy_in(graph, stored);
    graph.set_input(node, input, &add_floats(graph, &node, here, weights, axis, has_blocks));
    return;
  }
  Graph& outer = weights.graph();
  Value*& floats = bodies_.floats_of(stored);
  if (floats == nullptr)
    floats = &add_floats(outer, outer.first_node(), stored, weights, axis, has_blocks);
  graph.set_input(node, input, &seen_in(graph, *floats));
}

/// Gather(table) -> Cast(Gather(quantized)) * Gather(scales)
void WeightWriter::dequantize_rows(Node& gather) {
  Value& table = *constant_behind(gather.input(0));
  const QuantizedConstants& stored = store_rows(table);
  Graph& graph = gather.graph();
  const NodeWriter writer(graph, &gather);
  Value* const indices = gather.input(1);
  Value& codes = writer.add("Gather", {&seen_in(graph, *stored.codes), indices});
  Value& scales = writer.add("Gather", {&seen_in(graph, *stored.scales), indices});
  Value& floats = writer.add("Cast", {&codes});
  NodeWriter::set(floats, "to", static_cast<std::int64_t>(table.constant().type()));
  Value& result = *gather.output(0);
  graph.remove_node(gather);
  Node* const before = floats.producer()->next();
  Value* const inputs[] = {&floats, &scales};
  Value* const outputs[] = {&result};
  graph.add_node("Mul", "", inputs, outputs, {}, before);
}

void WeightWriter::expect(const PlannedNode& planned) {
  const Node& node = *planned.node;
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    if (is_worthwhile(node.input(i))) bodies_.expect(*constant_behind(node.input(i)), node.graph());
  }
}

void WeightWriter::write(const PlannedNode& planned) {
  Node& node = *planned.node;
  try {
    if (planned.is_quantized && planned.weight_input >= 0) {
      if (!options_.has_products || !is_worthwhile(node.input(planned.weight_input))) return;
      if (options_.has_block_products && BlockProductWriter::takes(planned)) {
        block_products_.write(planned);
      } else {
        dequantize(node, planned.weight_input, planned.weight_axis);
      }
    } else if (is_recurrent(node) && planned.reason.find("left out") == std::string::npos) {
      for (const std::int64_t input : {1, 2}) {
        if (is_worthwhile(node.input(input))) dequantize(node, input, 1);
      }
    } else if (is_table_in_floats(node) && constant_behind(node.input(1)) == nullptr &&
               planned.reason.find("left out") == std::string::npos) {
      const Attribute* axis = node.find_attribute("axis");
      const bool is_first = axis == nullptr || std::get<std::int64_t>(axis->value) == 0;
      if (is_first) dequantize_rows(node);
    }
  } catch (Error& error) {
    throw error.at_node(shorten(node.name()), node.op_type());
  }
}

}  // namespace

bool is_table_in_floats(const Node& node) {
  if (!node.domain().empty() || node.op_type() != "Gather" || !is_worthwhile(node.input(0)))
    return false;
  const Shape& shape = constant_behind(node.input(0))->constant().shape();
  return shape.rank() > 1 && shape.product(1, shape.rank()) >= min_row;
}

std::int64_t quantize_weights_only(Model& model, const QuantizePlan& plan,
                                   const WeightOnlyOptions& options) {
  WeightWriter writer(options);
  for (const PlannedNode& planned : plan.nodes) writer.expect(planned);
  for (const PlannedNode& planned : plan.nodes) writer.write(planned);
  share_transposed_weights(model);
  drop_unread_constants(model);
  return writer.count();
}

}  // namespace ortool
