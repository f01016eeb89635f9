// Global average pooling of quantized images.
#include <vector>

#include "libcore/graph/attribute_access.hpp"
#include "libcore/lower/quantized_cluster.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/own_domain.hpp"
#include "libcore/ops/reduction/reduce.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// The axes of a ReduceMean; nothing when they are computed at run time.
std::optional<std::vector<std::int64_t>> mean_axes(const Node& node, const ReduceMean& op,
                                                   std::int64_t rank) {
  std::vector<std::int64_t> given;
  if (const Value* axes = node.input(1)) {
    const Tensor* constant = constant_of(*axes);
    if (constant == nullptr) return std::nullopt;
    for (std::int64_t i = 0; i < constant->element_count(); ++i)
      given.push_back(element_as_int64(*constant, i));
  } else if (const Attribute* attribute = node.find_attribute("axes")) {
    const auto* list = std::get_if<std::vector<std::int64_t>>(&attribute->value);
    if (list == nullptr) return std::nullopt;
    given = *list;
  }
  return op.reduced_axes(rank, given);
}

/// Whether the node is a mean over all axes after the channels, and keeps them as ones.
struct PixelMean {
  bool keeps_dimensions;
};

std::optional<PixelMean> pixel_mean(const Node& node) {
  const PartialShape& shape = node.input(0)->type().shape;
  if (!shape || shape->size() < 3) return std::nullopt;
  if (node.op_type() == "GlobalAveragePool") return PixelMean{true};
  if (node.op_type() != "ReduceMean") return std::nullopt;
  const auto op = read_op<ReduceMean>(node);
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto axes = mean_axes(node, op, rank);
  if (!axes || static_cast<std::int64_t>(axes->size()) != rank - 2 || axes->front() != 2)
    return std::nullopt;
  return PixelMean{op.keep_dimensions};
}

}  // namespace

bool fuse_quantized_mean(ClusterEditor& editor, const Node& end, const Quantization& to) {
  const Value* value = end.input(0);
  const Int8Bounds bounds = peel_clips(value, to);
  const Node* node = only_producer(value);
  if (node == nullptr || !node->domain().empty()) return false;
  const std::optional<Quantization> from = dequantized_bytes(node->input(0));
  if (!from) return false;
  const std::optional<PixelMean> mean = pixel_mean(*node);
  if (!mean) return false;
  Value& result = editor.add("QuantizedMean", own_domain,
                             {from->bytes, from->scale, &editor.zero_point_of(*from), to.scale,
                              &editor.zero_point_of(to)});
  set_attribute(ClusterEditor::producer(result), "low", bounds.low);
  set_attribute(ClusterEditor::producer(result), "high", bounds.high);
  editor.finish(mean->keeps_dimensions ? result : editor.add("Flatten", "", {&result}));
  return true;
}

}  // namespace ortool
