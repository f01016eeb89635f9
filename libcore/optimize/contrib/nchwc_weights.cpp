// The block size of NCHWc weights is stated, or follows from sizes that are no multiples of the
// other one, or from the weights.
#include "libcore/optimize/contrib/nchwc_weights.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/log.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/fused/nchwc.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/optimize/contrib/nchwc_layout.hpp"
#include "libcore/optimize/opset/node_edits.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

constexpr std::int64_t channel_axis = 1;

bool is_nchwc(const Node& node, std::string_view op_type) {
  return node.domain() == nchwc_domain && node.op_type() == op_type;
}

/// Whether the value has its channels in blocks: other operators than the domain's pass them on.
bool is_blocked(const Value& value) {
  const Value* at = &value;
  while (at != nullptr && at->producer() != nullptr) {
    const Node& node = *at->producer();
    if (node.domain() == nchwc_domain) return node.op_type() != "ReorderOutput";
    at = node.input_count() > 0 ? node.input(0) : nullptr;
  }
  return false;
}

std::int64_t rounded_up(std::int64_t count, std::int64_t block) {
  return (count + block - 1) / block * block;
}

/// The number of channels of an image, or -1.
std::int64_t channels_of(const Value* image, std::int64_t axis) {
  const Dimensions* shape = image != nullptr ? dimensions_of(*image) : nullptr;
  return shape != nullptr && shape->size() == 4 ? (*shape)[static_cast<std::size_t>(axis)].number()
                                                : -1;
}

const Tensor* weights_of(const Node& conv) {
  const Value* weights = conv.input_count() > 1 ? conv.input(1) : nullptr;
  const bool is_plain = weights != nullptr && weights->is_constant() &&
                        weights->constant().shape().rank() == 4 &&
                        weights->constant().type() == DataType::float32;
  return is_plain ? &weights->constant() : nullptr;
}

bool has_blocked_inputs(const Tensor& weights, std::int64_t block) {
  return weights.shape()[1] >= block;
}

bool fits_conv(const Node& conv, std::int64_t block) {
  const Tensor* weights = weights_of(conv);
  if (weights == nullptr) return true;
  const std::int64_t inputs = weights->shape()[1];
  if (weights->shape()[0] % block != 0) return false;
  if (integer_of(conv, "group", 1) != 1) return inputs == 1 || inputs % block == 0;
  const bool expects_blocks = has_blocked_inputs(*weights, block);
  return expects_blocks == is_blocked(*conv.input(0)) && (!expects_blocks || inputs % block == 0);
}

bool fits_reorder_output(const Node& node, std::int64_t block) {
  const std::int64_t channels = channels_of(node.input(0), channel_axis);
  return channels < 0 || channels == rounded_up(integer_of(node, "channels", 0), block);
}

bool fits_reorder_input(const Node& node, std::int64_t block) {
  const std::int64_t axis = integer_of(node, "channels_last", 0) != 0 ? 3 : channel_axis;
  const std::int64_t channels = channels_of(node.input(0), axis);
  if (channels < 0) return true;
  for (const Use& use : node.output(0)->uses()) {
    const Node* reader = use.node;
    if (reader == nullptr || !is_nchwc(*reader, "Conv") || reader->input(0) != node.output(0))
      continue;
    const Tensor* weights = weights_of(*reader);
    const std::int64_t groups = integer_of(*reader, "group", 1);
    if (weights != nullptr && weights->shape()[1] * groups != rounded_up(channels, block))
      return false;
  }
  return true;
}

bool fits(const Graph& graph, std::int64_t block) {
  for (const Node& node : graph.nodes()) {
    if (is_nchwc(node, "Conv") && !fits_conv(node, block)) return false;
    if (is_nchwc(node, "ReorderOutput") && !fits_reorder_output(node, block)) return false;
    if (is_nchwc(node, "ReorderInput") && !fits_reorder_input(node, block)) return false;
  }
  return true;
}

/// Throws at the graph's first convolution.
[[noreturn]] void refuse_blocks(const Node& conv, std::string_view reason) {
  throw Error(ErrorCode::unsupported,
              format("the weights are in blocks of channels for one processor, and {}", reason),
              "save the model again with ONNX Runtime's graph_optimization_level "
              "ORT_ENABLE_EXTENDED, or with disabled_optimizers=['NchwcTransformer'], or use the "
              "model that it was saved from")
      .at_node(conv.name(), conv.op_type());
}

/// The stated size of blocks, or 0.
std::int64_t stated_block(const Metadata& metadata) {
  const auto fact = std::find_if(metadata.begin(), metadata.end(),
                                 [](const auto& each) { return each.first == nchwc_block_key; });
  if (fact == metadata.end()) return 0;
  for (const std::int64_t each : nchwc_block_sizes) {
    if (fact->second == format("{}", each)) return each;
  }
  throw Error(ErrorCode::invalid, format("the model's metadata '{}' is {} (expected 8 or 16)",
                                         nchwc_block_key, quote(fact->second)));
}

std::int64_t block_size(const Graph& graph, std::span<Node* const> convolutions,
                        std::int64_t stated) {
  const Node& first = *convolutions.front();
  std::vector<std::int64_t> left;
  for (const std::int64_t each : nchwc_block_sizes) {
    if (fits(graph, each)) left.push_back(each);
  }
  if (left.empty()) refuse_blocks(first, "no size of blocks fits them");
  if (stated != 0) {
    if (std::find(left.begin(), left.end(), stated) != left.end()) return stated;
    refuse_blocks(first, format("the stated size of blocks, {}, does not fit them", stated));
  }
  if (left.size() == 1) return left.front();
  std::vector<Tensor> weights;
  for (const Node* conv : convolutions) weights.push_back(*weights_of(*conv));
  const std::optional<std::int64_t> likely = likely_block_size(weights, left[0], left[1]);
  const std::string option = setting_name("nchwc-block");
  if (!likely) {
    throw Error(ErrorCode::unsupported,
                "the weights are in blocks of 8 or 16 channels for one processor, and neither "
                "sizes nor weights show which",
                format("give {} 16 if ONNX Runtime saved the model on a processor with AVX-512, "
                       "else {} 8; or save it again with graph_optimization_level "
                       "ORT_ENABLE_EXTENDED",
                       option, option))
        .at_node(first.name(), first.op_type());
  }
  log_warn(
      format("the weights are taken to be in blocks of {} channels, as their magnitudes show; {} "
             "states the size",
             *likely, option));
  return *likely;
}

/// The same weights, M x C x K1 x K2 in row-major order.
Tensor plain_weights(const Tensor& blocked, std::int64_t block) {
  const Shape& shape = blocked.shape();
  const std::int64_t inputs = shape[1];
  const std::int64_t places = shape[2] * shape[3];
  Tensor plain(DataType::float32, shape);
  const Tensor aligned = blocked.aligned();
  const float* from = aligned.data<float>().data();
  float* to = plain.mutable_data<float>().data();
  visit_blocked(shape, block, [&](std::int64_t o, std::int64_t i, std::int64_t k) {
    to[(o * inputs + i) * places + k] = *from++;
  });
  return plain;
}

void pad_channels(Node& reorder, std::int64_t block) {
  const bool is_last = integer_of(reorder, "channels_last", 0) != 0;
  const std::int64_t channels = channels_of(reorder.input(0), is_last ? 3 : channel_axis);
  if (channels < 0) {
    throw Error(ErrorCode::unsupported,
                "the number of channels of the image is not known (expected a number)")
        .at_node(reorder.name(), reorder.op_type());
  }
  const std::int64_t added = rounded_up(channels, block) - channels;
  if (added == 0) return;
  std::vector<std::int64_t> pads(8);
  pads[is_last ? 7 : 4 + channel_axis] = added;
  Decomposition out(reorder);
  Value& padded =
      add_since(out, opset_of_input("Pad", "pads"), "Pad", {reorder.input(0), &out.integers(pads)});
  set_input_at(reorder, 0, &padded);
}

}  // namespace

void restore_plain_weights(Graph& graph, const Metadata& metadata) {
  std::vector<Node*> reorders;
  std::vector<Node*> convolutions;
  for (Node* node = graph.first_node(); node != nullptr; node = node->next()) {
    if (is_nchwc(*node, "ReorderInput")) reorders.push_back(node);
    if (!is_nchwc(*node, "Conv")) continue;
    if (weights_of(*node) == nullptr) refuse_blocks(*node, "they are not constants of float32");
    convolutions.push_back(node);
  }
  // Without weights, blocks of any size do.
  const std::int64_t block = convolutions.empty()
                                 ? nchwc_block_sizes[0]
                                 : block_size(graph, convolutions, stated_block(metadata));
  for (Node* conv : convolutions) {
    Decomposition out(*conv);
    set_input_at(*conv, 1, &out.constant(plain_weights(*weights_of(*conv), block)));
  }
  for (Node* reorder : reorders) pad_channels(*reorder, block);
}

void forget_nchwc_block(Model& model) {
  std::erase_if(model.metadata, [](const auto& each) { return each.first == nchwc_block_key; });
}

void state_nchwc_block(Model& model, std::int64_t block) {
  forget_nchwc_block(model);
  model.metadata.emplace_back(nchwc_block_key, format("{}", block));
}

}  // namespace ortool
