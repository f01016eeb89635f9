// DynamicQuantizeLSTM writer: the new node takes the old one's position and name.
#include "libcore/quantize/scheme/dynamic_lstm.hpp"

#include <array>
#include <vector>

#include "libcore/graph/algorithms/captured.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/import_domain.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/rnn/lstm.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"

namespace ortool {
namespace {

constexpr std::size_t first_scale = 8;

/// Transposes int8 [directions, rows, depth] to [directions, depth, rows].
Tensor transpose_each(const Tensor& bytes, MemoryCap* cap) {
  const Shape& shape = bytes.shape();
  const std::int64_t rows = shape[1];
  const std::int64_t depth = shape[2];
  Tensor transposed(bytes.type(), Shape({shape[0], depth, rows}), cap);
  for (std::int64_t direction = 0; direction < shape[0]; ++direction) {
    const std::byte* from = bytes.bytes() + direction * rows * depth;
    std::byte* to = transposed.mutable_bytes() + direction * rows * depth;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < depth; ++i) to[i * rows + row] = from[row * depth + i];
    }
  }
  return transposed;
}

}  // namespace

const DynamicLstmWriter::Stored& DynamicLstmWriter::store(Value& weights, bool by_column) {
  Stored& stored = stored_[{&weights, by_column}];
  if (stored.codes != nullptr) return stored;
  const Tensor& floats = weights.constant();
  const Shape shape = floats.shape();
  WeightOptions options = weights_;
  options.axis = 0;
  const Shape rows =
      by_column ? Shape({shape[0] * shape[1], shape[2]}) : Shape({shape[0], shape[1] * shape[2]});
  QuantizedData made = quantize_weights(floats.reshaped(rows), options, cap_);
  const Shape numbers = by_column ? Shape({shape[0], shape[1]}) : Shape({shape[0]});
  Graph& graph = weights.graph();
  stored.codes =
      &graph.add_constant("", kept(transpose_each(made.data.reshaped(shape), cap_), store_));
  stored.scales = &graph.add_constant("", made.scales.reshaped(numbers));
  stored.zero_points = &graph.add_constant("", made.zero_points.reshaped(numbers));
  return stored;
}

std::string DynamicLstmWriter::write(const PlannedNode& planned) {
  Node& node = *planned.node;
  if (read_op<LSTM>(node).batch_first)
    return "its layout is batch-first, which no operator supports";
  Graph& graph = node.graph();
  const bool by_column = planned.weight_axis.has_value();
  const Stored& w = store(*constant_behind(node.input(1)), by_column);
  const Stored& r = store(*constant_behind(node.input(2)), by_column);
  // Captures disappear with their last use, the captured values do not.
  std::array<Value*, first_scale> read = {};
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (i == 1 || i == 2) continue;  // the weights
    Value* value = node.input(static_cast<std::int64_t>(i));
    read[i] = value != nullptr ? &captured_root(*value) : nullptr;
  }
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < node.output_count(); ++i) outputs.push_back(node.output(i));
  std::vector<Attribute> attributes;
  for (Attribute& attribute : copy_attributes(node)) {
    if (attribute.name != "layout" && attribute.name != "output_sequence")
      attributes.push_back(std::move(attribute));
  }
  const std::string name = node.has_name_of_its_own() ? std::string(node.name()) : std::string();
  Node* const before = node.next();
  if (graph.opset(contrib_domain) == 0) import_domain(graph, contrib_domain, 1);
  graph.remove_node(node);
  std::vector<Value*> inputs;
  for (Value* each : read) inputs.push_back(each != nullptr ? &seen_in(graph, *each) : nullptr);
  inputs[1] = &seen_in(graph, *w.codes);
  inputs[2] = &seen_in(graph, *r.codes);
  for (const Stored* stored : {&w, &r}) {
    inputs.push_back(&seen_in(graph, *stored->scales));
    inputs.push_back(&seen_in(graph, *stored->zero_points));
  }
  Node& made = graph.add_node("DynamicQuantizeLSTM", contrib_domain, inputs, outputs, name, before);
  for (Attribute& attribute : attributes) made.set_attribute(std::move(attribute));
  return {};
}

}  // namespace ortool
