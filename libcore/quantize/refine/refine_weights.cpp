// Weight refinement: input moments are collected for some layers at a time, to bound memory.
#include "libcore/quantize/refine/refine_weights.hpp"

#include <algorithm>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/quantize/refine/bias_correction.hpp"
#include "libcore/quantize/refine/channel_links.hpp"

namespace ortool {
namespace {

/// Inputs count as this type, whatever the plan's is: rounding of weights depends on their moments
/// up to a factor, so that one pass over the samples serves all plans.
constexpr QuantizationType input_type{DataType::uint8, false, false};

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

/// Whether the moments of its input can be collected.
bool is_refined(const PlannedNode& planned) {
  return planned.is_quantized && planned.role == QuantizeRole::product &&
         weight_matrix_of(planned).has_value() && planned.node->input(0)->captured() == nullptr &&
         windows_of(planned).has_value();
}

}  // namespace

std::optional<WeightMatrix> weight_matrix_of(const PlannedNode& planned) {
  if (planned.weight_input != 1) return std::nullopt;
  return matrix_of_weights(*planned.node);
}

std::vector<std::string> WeightRefiner::products_of(const QuantizePlan& plan) {
  std::vector<std::string> products;
  for (const PlannedNode& planned : plan.nodes) {
    if (is_refined(planned)) products.emplace_back(planned.node->output(0)->name());
  }
  return products;
}

std::vector<MomentRequest> WeightRefiner::requests_of(const QuantizePlan& plan) const {
  std::vector<MomentRequest> requests;
  for (const PlannedNode& planned : plan.nodes) {
    if (!is_refined(planned)) continue;
    const Value* input = planned.node->input(0);
    requests.push_back({std::string(input->name()), *weight_matrix_of(planned),
                        *windows_of(planned), input_scale(source_name(*input)), input_type});
  }
  return requests;
}

Scale WeightRefiner::input_scale(std::string_view value) const {
  const ValueRecord* record = calibration_.find(value);
  if (record == nullptr || record->finite_count() == 0) return {1, 0};
  MethodOptions options;
  options.method =
      record->options().with_histogram ? CalibrationMethod::mse : CalibrationMethod::minmax;
  return choose_scale(choose_range(*record, input_type, options).range, input_type);
}

WeightRefiner::WeightRefiner(const QuantizePlan& plan, QuantizationType type,
                             const Calibration& calibration, const Session& session,
                             FunctionRef<NamedValues(std::int64_t)> sample,
                             const CollectOptions& options, ThreadPool* pool)
    : type_(type),
      seen_(products_of(plan)),
      calibration_(calibration),
      pool_(pool),
      stop_(options.stop) {
  requests_ = requests_of(plan);
  add(session, sample, options);
}

void WeightRefiner::add(const Session& session, FunctionRef<NamedValues(std::int64_t)> sample,
                        const CollectOptions& options) {
  for (std::size_t first = 0; first < requests_.size();) {
    std::size_t last = first;
    for (std::int64_t bytes = 0; last < requests_.size(); ++last) {
      bytes += InputMoments::size_bytes(requests_[last].matrix);
      if (last > first && bytes > max_sum_bytes) break;
    }
    std::vector<InputMoments> made = collect_moments(
        session, std::span(requests_).subspan(first, last - first), sample, options);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (made[i].rows() == 0) continue;
      const auto known = moments_.find(seen_[first + i]);
      if (known != moments_.end()) {
        known->second.merge(made[i]);
      } else {
        moments_.emplace(seen_[first + i], std::move(made[i]));
      }
    }
    first = last;
  }
}

bool WeightRefiner::serves(const QuantizePlan& plan) const {
  const std::vector<std::string> products = products_of(plan);
  return std::all_of(products.begin(), products.end(), [&](const std::string& wanted) {
    return std::find(seen_.begin(), seen_.end(), wanted) != seen_.end();
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
