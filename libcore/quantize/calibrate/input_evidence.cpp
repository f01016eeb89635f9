// Input evidence: walks forward from each input as long as the input's scale is preserved.
#include "libcore/quantize/calibrate/input_evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/inspect/preprocessing.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/normalization/batch_normalization.hpp"
#include "libcore/quantize/scheme/quantize_role.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr int max_layers_passed = 8;
constexpr std::size_t max_norms = 4;

/// Whether the scale of the node's input carries over to its output.
bool carries_scale(const Node& node) {
  const OpTraits& traits = traits_of(node);
  return traits.role != QuantizeRole::none || traits.has(OpTrait::elementwise) ||
         traits.has(OpTrait::data_movement);
}

std::vector<double> doubles_in(const Tensor& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.element_count()));
  read_doubles(tensor, 0, numbers);
  return numbers;
}

/// Whether all of the node's inputs after the first are constants.
bool reads_constants_beside(const Node& node) {
  for (std::int64_t i = 1; i < node.input_count(); ++i) {
    if (node.input(i) != nullptr && !node.input(i)->is_constant()) return false;
  }
  return true;
}

void add_norm(const Value& input, const Node& node, ModelEvidence& model_evidence) {
  if (read_op<BatchNormalization>(node).is_training || !reads_constants_beside(node)) return;
  const Tensor& scale = node.input(1)->constant();
  const Tensor& shift = node.input(2)->constant();
  if (!is_floating_point(scale.type()) || scale.element_count() != shift.element_count()) return;
  NormStatistics norm{std::string(input.name()), std::string(node.name()),
                      std::string(node.output(0)->name()), doubles_in(shift), doubles_in(scale)};
  for (double& number : norm.deviations) number = std::abs(number);
  model_evidence.norms.push_back(std::move(norm));
}

void find_norms(const Value& input, ModelEvidence& model_evidence) {
  std::deque<std::pair<const Value*, int>> open = {{&input, 0}};
  std::unordered_set<const Node*> seen;
  std::size_t found = 0;
  while (!open.empty() && found < max_norms) {
    const auto [value, depth] = open.front();
    open.pop_front();
    for (const Use& use : value->uses()) {
      if (use.kind != Use::Kind::input || use.index != 0 || !seen.insert(use.node).second) continue;
      const Node& node = *use.node;
      if (node.output(0) == nullptr) continue;
      if (node.op_type() == "BatchNormalization" && node.domain().empty()) {
        add_norm(input, node, model_evidence);
        ++found;
        continue;
      }
      if (carries_scale(node) && depth < max_layers_passed && reads_constants_beside(node))
        open.emplace_back(node.output(0), depth + 1);
    }
  }
}

/// The range given by Image.NominalPixelRange.
void add_pixel_range(const Value& input, const Metadata& metadata, ModelEvidence& model_evidence) {
  constexpr std::array<std::pair<std::string_view, std::pair<double, double>>, 4> known = {{
      {"NominalRange_0_255", {0, 255}},
      {"NominalRange_16_235", {16, 235}},
      {"Normalized_0_1", {0, 1}},
      {"Normalized_1_1", {-1, 1}},
  }};
  for (const auto& [key, value] : metadata) {
    if (key != "Image.NominalPixelRange") continue;
    for (const auto& [name, range] : known) {
      if (value != name) continue;
      model_evidence.ranges.push_back(
          {std::string(input.name()), ValueRange{range.first, range.second},
           format("the model's metadata ({} = {}) says that it", key, value), true});
    }
  }
}

/// Inputs normalized in the graph are assumed to lie within a few deviations of the mean.
void add_graph_range(const Value& input, const PreprocessingHint& hint,
                     ModelEvidence& model_evidence) {
  constexpr double reach = 3;
  constexpr double min_deviation = 0.1;  // below it the graph scales values up instead of
                                         // normalizing
  ValueRange range;
  for (std::size_t i = 0; i < hint.mean.size(); ++i) {
    if (!std::isfinite(hint.mean[i]) || !(hint.std[i] >= min_deviation)) return;
    range.low = std::min(range.low, hint.mean[i] - reach * hint.std[i]);
    range.high = std::max(range.high, hint.mean[i] + reach * hint.std[i]);
  }
  model_evidence.ranges.push_back(
      {std::string(input.name()), range,
       format("the graph computes (x - {}) / {} of it, so it", hint.mean[0], hint.std[0])});
}

bool is_picture(const Value& input) {
  return input.type().is_tensor() && input.type().shape && input.type().shape->size() == 4 &&
         is_arithmetic(input.type().element);
}

}  // namespace

ModelEvidence find_model_evidence(const Model& model) {
  ModelEvidence model_evidence;
  for (const Value* input : model.inputs()) {
    if (!input->type().is_tensor() || input->has_default()) continue;
    find_norms(*input, model_evidence);
    if (!is_picture(*input)) continue;
    const PreprocessingHint hint = find_preprocessing(model, *input);
    add_pixel_range(*input, hint.metadata, model_evidence);
    if (!hint.mean.empty()) add_graph_range(*input, hint, model_evidence);
  }
  return model_evidence;
}

void update_model_evidence(const Model& rewritten, ModelEvidence& model_evidence) {
  const Graph& graph = *rewritten.graph;
  std::erase_if(model_evidence.norms, [&](const NormStatistics& norm) {
    const Value* value = graph.find_value(norm.output);
    return value == nullptr || value->producer() == nullptr;
  });
  for (const Value* input : graph.inputs()) {
    for (const Use& use : input->uses()) {
      if (use.kind != Use::Kind::input || use.index != 0) continue;
      const Node& node = *use.node;
      if (quantize_role(node) != QuantizeRole::product || node.op_type() != "Conv") continue;
      const Value* bias = node.input(2);
      if (bias == nullptr || !bias->is_constant()) continue;
      model_evidence.layers.push_back({std::string(input->name()),
                                       std::string(node.output(0)->name()),
                                       doubles_in(bias->constant())});
    }
  }
}

void add_requests(const ModelEvidence& model_evidence, std::vector<ValueRequest>& requests) {
  const auto request = [&](const std::string& name, std::optional<std::int64_t> axis) {
    const auto known = std::find_if(requests.begin(), requests.end(),
                                    [&](const ValueRequest& each) { return each.name == name; });
    if (known == requests.end()) {
      requests.push_back({name, axis});
    } else if (!known->channel_axis) {
      known->channel_axis = axis;
    }
  };
  for (const ExpectedRange& range : model_evidence.ranges) request(range.input, std::nullopt);
  for (const NormStatistics& norm : model_evidence.norms) request(norm.output, 1);
  for (const BiasedLayer& layer : model_evidence.layers) {
    request(layer.input, std::nullopt);
    request(layer.output, 1);
  }
}

}  // namespace ortool
