// Weight refinement: input moments are collected for some layers at a time, to bound memory.
#include "libcore/quantize/refine/refine_weights.hpp"

#include <algorithm>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/quantize/refine/bias_correction.hpp"
#include "libcore/quantize/refine/channel_links.hpp"

namespace ortool {
namespace {

/// The memory limit for the moments of one pass.
constexpr std::int64_t max_sum_bytes = std::int64_t{256} << 20;

const Tensor& weights_of(const PlannedNode& planned) {
  return constant_behind(planned.node->input(planned.weight_input))->constant();
}

/// The windows of a product; nothing when they depend on the input size.
std::optional<InputWindows> windows_of(const PlannedNode& planned) {
  const Node& node = *planned.node;
  if (node.op_type() != "Conv") return InputWindows{};
  const auto op = read_op<Conv>(node);
  if (op.window.auto_pad != AutoPad::not_set) return std::nullopt;
  const Shape& shape = weights_of(planned).shape();
  const auto axes = static_cast<std::size_t>(shape.rank() - 2);
  InputWindows windows;
  for (std::int64_t axis = 2; axis < shape.rank(); ++axis) windows.kernel.push_back(shape[axis]);
  windows.strides = op.window.strides;
  windows.dilations = op.window.dilations;
  windows.pads = op.window.pads;
  if (windows.strides.empty()) windows.strides.assign(axes, 1);
  if (windows.dilations.empty()) windows.dilations.assign(axes, 1);
  if (windows.pads.empty()) windows.pads.assign(2 * axes, 0);
  return windows;
}

}  // namespace

std::optional<WeightMatrix> weight_matrix_of(const PlannedNode& planned) {
  if (planned.weight_input != 1) return std::nullopt;
  return matrix_of_weights(*planned.node);
}

std::vector<MomentRequest> WeightRefiner::requests_of(const QuantizePlan& plan,
                                                      const PlanParams& params,
                                                      std::vector<Seen>& products) {
  std::map<const Value*, std::int64_t> groups;
  for (const PlannedValue& each : plan.values) groups.emplace(each.value, each.group);
  std::vector<MomentRequest> requests;
  for (const PlannedNode& planned : plan.nodes) {
    if (!planned.is_quantized || planned.role != QuantizeRole::product) continue;
    const std::optional<WeightMatrix> matrix = weight_matrix_of(planned);
    if (!matrix) continue;
    const std::optional<InputWindows> windows = windows_of(planned);
    const Value* input = planned.node->input(0);
    if (!windows || input->captured() != nullptr) continue;
    const GroupParams& group = params.groups[static_cast<std::size_t>(groups.at(input))];
    requests.push_back({std::string(input->name()), *matrix, *windows, group.scale, group.type});
    products.push_back({std::string(planned.node->output(0)->name()), group});
  }
  return requests;
}

WeightRefiner::WeightRefiner(const QuantizePlan& plan, const PlanParams& params,
                             const Calibration& calibration, const Session& session,
                             FunctionRef<NamedValues(std::int64_t)> sample,
                             const CollectOptions& options, ThreadPool* pool)
    : type_(params.weights.type), calibration_(calibration), pool_(pool), stop_(options.stop) {
  const std::vector<MomentRequest> requests = requests_of(plan, params, seen_);
  for (std::size_t first = 0; first < requests.size();) {
    std::size_t last = first;
    for (std::int64_t bytes = 0; last < requests.size(); ++last) {
      bytes += InputMoments::size_bytes(requests[last].matrix);
      if (last > first && bytes > max_sum_bytes) break;
    }
    std::vector<InputMoments> made =
        collect_moments(session, std::span(requests).subspan(first, last - first), sample, options);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (made[i].rows() > 0) moments_.emplace(seen_[first + i].result, std::move(made[i]));
    }
    first = last;
  }
}

bool WeightRefiner::serves(const QuantizePlan& plan, const PlanParams& params) const {
  std::vector<Seen> products;
  requests_of(plan, params, products);
  return std::all_of(products.begin(), products.end(), [&](const Seen& wanted) {
    return std::any_of(seen_.begin(), seen_.end(), [&](const Seen& seen) {
      return seen.result == wanted.result && seen.input.scale == wanted.input.scale &&
             seen.input.type.type == wanted.input.type.type;
    });
  });
}

QuantizedData WeightRefiner::round_with(RoundingEffort effort, const PlannedNode& planned,
                                        QuantizedData nearest) const {
  const auto found = moments_.find(planned.node->output(0)->name());
  if (found == moments_.end()) return nearest;
  QuantizationType type = type_;
  type.type = planned.weight_type.value_or(type.type);
  Workers alone(stop_);
  std::optional<Workers> shared;
  if (pool_ != nullptr) shared.emplace(*pool_, pool_->size(), stop_);
  return improve_rounding(weights_of(planned), *weight_matrix_of(planned), nearest, type,
                          found->second, shared ? *shared : alone, effort)
      .codes;
}

Tensor WeightRefiner::correct(const PlannedNode& planned, const Tensor& bias,
                              const QuantizedData& codes) const {
  const std::optional<WeightMatrix> matrix = weight_matrix_of(planned);
  const ValueRecord* record = calibration_.find(source_name(*planned.node->input(0)));
  if (!matrix || record == nullptr || bias.element_count() != matrix->outputs()) return bias;
  std::vector<double> means;
  for (const ChannelRecord& channel : record->channels()) means.push_back(channel.mean());
  if (static_cast<std::int64_t>(means.size()) != matrix->inputs()) return bias;
  return corrected_bias(bias,
                        expected_shift(weights_of(planned), dequantize(codes), *matrix, means));
}

}  // namespace ortool
