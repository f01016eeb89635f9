// Counting nodes, weights and memory.
#include "apps/ortool/inspect/summary.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "libcore/tensor/data_type.hpp"

namespace ortool {
namespace {

template <typename Visit>
void visit_graphs(const Graph& graph, const Visit& visit) {
  std::vector<const Graph*> open = {&graph};
  while (!open.empty()) {
    const Graph* next = open.back();
    open.pop_back();
    visit(*next);
    for (const Node& node : next->nodes()) {
      for (const Graph* inside : node.subgraphs()) open.push_back(inside);
    }
  }
}

template <typename Visit>
void visit_graphs(const Model& model, const Visit& visit) {
  visit_graphs(*model.graph, visit);
  for (const Function& function : model.functions) visit_graphs(*function.body, visit);
}

template <typename Bits>
std::int64_t count_denormals(const Tensor& tensor, Bits exponent, Bits mantissa) {
  std::int64_t count = 0;
  const std::byte* bytes = tensor.bytes();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + static_cast<std::size_t>(i) * sizeof(Bits), sizeof(Bits));
    count += (bits & exponent) == 0 && (bits & mantissa) != 0 ? 1 : 0;
  }
  return count;
}

std::int64_t count_denormals(const Tensor& tensor) {
  switch (tensor.type()) {
    case DataType::float32:
      return count_denormals<std::uint32_t>(tensor, 0x7f800000U, 0x007fffffU);
    case DataType::float64:
      return count_denormals<std::uint64_t>(tensor, 0x7ff0000000000000U, 0x000fffffffffffffU);
    case DataType::float16:
      return count_denormals<std::uint16_t>(tensor, std::uint16_t{0x7c00}, std::uint16_t{0x03ff});
    case DataType::bfloat16:
      return count_denormals<std::uint16_t>(tensor, std::uint16_t{0x7f80}, std::uint16_t{0x007f});
    default:
      return 0;
  }
}

/// A quick hash of a tensor's bytes; equal hashes are compared byte by byte.
std::uint64_t hash_bytes(const Tensor& tensor) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U ^ static_cast<std::uint64_t>(tensor.size_bytes());
  const std::byte* bytes = tensor.bytes();
  auto left = static_cast<std::size_t>(tensor.size_bytes());
  while (left > 0) {
    std::uint64_t word = 0;
    const std::size_t taken = std::min<std::size_t>(left, sizeof(word));
    std::memcpy(&word, bytes, taken);
    hash = std::rotl((hash ^ word) * 0xff51afd7ed558ccdU, 29);
    bytes += taken;
    left -= taken;
  }
  return hash;
}

std::int64_t count_duplicate_bytes(const std::vector<Weight>& weights) {
  std::unordered_multimap<std::uint64_t, const Tensor*> seen;
  std::int64_t bytes = 0;
  for (const Weight& weight : weights) {
    if (weight.tensor->size_bytes() == 0) continue;
    const Tensor& tensor = *weight.tensor;
    const std::uint64_t hash = hash_bytes(tensor);
    const auto [first, last] = seen.equal_range(hash);
    const bool is_copy = std::any_of(first, last, [&](const auto& entry) {
      const Tensor& other = *entry.second;
      return other.type() == tensor.type() && other.shape() == tensor.shape() &&
             std::memcmp(other.bytes(), tensor.bytes(),
                         static_cast<std::size_t>(tensor.size_bytes())) == 0;
    });
    if (is_copy) {
      bytes += tensor.size_bytes();
    } else {
      seen.emplace(hash, &tensor);
    }
  }
  return bytes;
}

std::optional<std::int64_t> known_bytes(const Value& value) {
  const std::optional<Shape> shape = to_known(value.type().shape);
  if (!value.type().is_tensor() || !shape) return std::nullopt;
  return bytes_of(value.type().element, shape->element_count());
}

}  // namespace

bool is_stored(const Value& value) {
  return !value.constant().is_empty();
}

std::int64_t Weight::size_bytes() const {
  return tensor->size_bytes();
}

std::vector<Weight> weights_of(const Model& model) {
  std::vector<Weight> weights;
  visit_graphs(model, [&](const Graph& graph) {
    for (const Value* value : graph.values()) {
      if (!is_stored(*value)) continue;
      const Tensor& tensor = value->constant();
      weights.push_back(
          {value->name(), tensor.type(), tensor.shape(), &tensor, value->is_external});
    }
    for (const Node& node : graph.nodes()) {
      if (node.op_type() != "Constant" || node.output(0) == nullptr) continue;
      const Attribute* attribute = node.find_attribute("value");
      const auto* tensor = attribute != nullptr ? std::get_if<Tensor>(&attribute->value) : nullptr;
      if (tensor == nullptr) continue;
      weights.push_back({node.output(0)->name(), tensor->type(), tensor->shape(), tensor, false});
    }
  });
  return weights;
}

std::optional<std::int64_t> peak_activation_bytes(const Graph& graph) {
  std::unordered_map<const Value*, const Node*> last_reader;
  const auto is_activation = [](const Value& value) { return !is_stored(value); };
  for (const Node& node : graph.nodes()) {
    for (std::int64_t i = 0; i < node.input_count(); ++i) last_reader[node.input(i)] = &node;
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
      last_reader[node.implicit_input(i)] = &node;
    }
  }
  std::int64_t live_bytes = 0;
  for (const Value* input : graph.inputs()) {
    if (!is_activation(*input)) continue;
    const auto bytes = known_bytes(*input);
    if (!bytes) return std::nullopt;
    live_bytes += *bytes;
  }
  std::int64_t peak_bytes = live_bytes;
  std::vector<const Value*> freed;
  for (const Node& node : graph.nodes()) {
    freed.clear();
    const auto consider = [&](const Value* value) {
      if (value == nullptr || value->is_graph_output() || !is_activation(*value)) return;
      const auto reader = last_reader.find(value);
      const bool ends_here = reader == last_reader.end() || reader->second == &node;
      if (ends_here && std::find(freed.begin(), freed.end(), value) == freed.end()) {
        freed.push_back(value);
      }
    };
    const bool is_constant_node = node.op_type() == "Constant";
    for (std::int64_t i = 0; i < node.output_count() && !is_constant_node; ++i) {
      const Value* output = node.output(i);
      if (output == nullptr || !is_activation(*output)) continue;
      const auto bytes = known_bytes(*output);
      if (!bytes) return std::nullopt;
      live_bytes += *bytes;
      consider(output->uses().empty() ? output : nullptr);
    }
    peak_bytes = std::max(peak_bytes, live_bytes);
    for (std::int64_t i = 0; i < node.input_count(); ++i) consider(node.input(i));
    for (std::int64_t i = 0; i < node.implicit_input_count(); ++i) {
      consider(node.implicit_input(i));
    }
    for (const Value* value : freed) {
      const bool was_counted =
          value->producer() == nullptr || value->producer()->op_type() != "Constant";
      if (was_counted) live_bytes -= *known_bytes(*value);
    }
  }
  return peak_bytes;
}

Summary summarize(const Model& model, bool reads_weights) {
  Summary summary;
  visit_graphs(model, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) {
      ++summary.node_count;
      std::string op_type(node.domain());
      op_type.append(node.domain().empty() ? "" : ".").append(node.op_type());
      ++summary.op_histogram[op_type];
    }
  });
  for (const Node& node : model.graph->nodes()) summary.macs.add(count_macs(node));
  const std::vector<Weight> weights = weights_of(model);
  for (const Weight& weight : weights) {
    summary.parameter_count += weight.shape.element_count();
    summary.weight_bytes += weight.size_bytes();
  }
  summary.peak_activation_bytes = peak_activation_bytes(*model.graph);
  if (!reads_weights) return summary;
  std::int64_t denormals = 0;
  for (const Weight& weight : weights) {
    denormals += count_denormals(*weight.tensor);
  }
  summary.denormal_weights = denormals;
  summary.duplicate_weight_bytes = count_duplicate_bytes(weights);
  return summary;
}

Json summary_block(const Summary& summary) {
  const auto number_or_null = [](const std::optional<std::int64_t>& number) {
    return number ? Json(*number) : Json();
  };
  Json histogram = Json::object();
  for (const auto& [op_type, count] : summary.op_histogram) histogram.set(op_type, count);
  Json block = Json::object();
  block.set("node_count", summary.node_count)
      .set("op_histogram", std::move(histogram))
      .set("parameter_count", summary.parameter_count)
      .set("weight_bytes", summary.weight_bytes)
      .set("macs", number_or_null(summary.macs.value()));
  if (!summary.macs.value()) block.set("macs_formula", summary.macs.formula());
  return block.set("peak_activation_bytes", number_or_null(summary.peak_activation_bytes))
      .set("denormal_weights", number_or_null(summary.denormal_weights))
      .set("duplicate_weight_bytes", number_or_null(summary.duplicate_weight_bytes));
}

}  // namespace ortool
