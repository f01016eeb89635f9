// Channel balancing: weights and vectors are scaled with a single rounding.
#include "libcore/quantize/refine/balance_channels.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/quantize/scheme/quantize_role.hpp"

namespace ortool {
namespace {

/// Replaces the operand by `tensor` for this consumer only.
void replace_constant(Node& node, std::int64_t input, Tensor tensor) {
  Value& value = *node.input(input);
  Graph& graph = node.graph();
  if (only_consumer(value) == &node) {
    graph.set_constant(value, std::move(tensor));
  } else {
    graph.set_input(node, input, &graph.add_constant("", std::move(tensor)));
  }
}

/// A value of the balanced model, computed from that of the original.
Tensor scaled(const Tensor& tensor, std::int64_t axis, const std::vector<double>& factors) {
  Tensor result(tensor.type(), tensor.shape());
  const std::int64_t channels = tensor.shape()[axis];
  const std::int64_t inner = tensor.shape().product(axis + 1, tensor.shape().rank());
  const std::span<const float> from = tensor.data<float>();
  const std::span<float> to = result.mutable_data<float>();
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double factor = factors[static_cast<std::size_t>(i / inner % channels)];
    const auto index = static_cast<std::size_t>(i);
    to[index] = static_cast<float>(static_cast<double>(from[index]) * factor);
  }
  return result;
}

struct ScaledRecord {
  std::int64_t axis = 0;
  std::vector<double> factors;
  ValueRecord record;
};

class ScaledObserver : public SampleObserver {
 public:
  explicit ScaledObserver(std::map<std::string, ScaledRecord, std::less<>>& records)
      : records_(records) {}

  void begin(std::int64_t number) override { sample_ = number; }
  void see(const Value& value, const RunValue& content) override {
    const auto [place, is_new] = known_.emplace(&value, nullptr);
    if (is_new) {
      const auto found = records_.find(value.name());
      if (found != records_.end()) place->second = &found->second;
    }
    ScaledRecord* const scaled_record = place->second;
    if (scaled_record == nullptr || !content.is_tensor()) return;
    scaled_record->record.add(scaled(content.tensor(), scaled_record->axis, scaled_record->factors),
                              sample_);
  }

 private:
  std::map<std::string, ScaledRecord, std::less<>>& records_;
  std::int64_t sample_ = 0;
  std::unordered_map<const Value*, ScaledRecord*> known_;
};

}  // namespace

ChannelFactors::ChannelFactors(std::span<const BalanceGroup> groups) {
  for (const BalanceGroup& group : groups) {
    for (std::size_t i = 0; i < group.classes.size(); ++i) {
      const auto number = static_cast<std::size_t>(group.classes[i]);
      if (factors_.size() <= number) factors_.resize(number + 1, 1);
      factors_[number] = group.factors[i];
    }
  }
}

std::vector<double> ChannelFactors::of(const ChannelLinks& links, const Value& value) const {
  std::vector<double> factors;
  bool is_changed = false;
  for (const std::int64_t number : links.classes_of(value)) {
    const bool is_free = number >= 0 && static_cast<std::size_t>(number) < factors_.size();
    factors.push_back(is_free ? factors_[static_cast<std::size_t>(number)] : 1);
    is_changed = is_changed || factors.back() != 1;
  }
  if (!is_changed) factors.clear();
  return factors;
}

void balance_channels(Model& model, std::span<const BalanceGroup> groups) {
  const ChannelLinks links(model);
  const ChannelFactors all(groups);
  for (const LinkedProduct& product : links.products()) {
    Node& node = *product.node;
    std::vector<double> read = all.of(links, *node.input(0));
    const std::vector<double> made = all.of(links, *node.output(0));
    if (read.empty() && made.empty()) continue;
    Tensor weights = node.input(1)->constant();
    for (double& factor : read) factor = 1 / factor;
    if (!read.empty()) weights = scale_inputs(weights, product.matrix, read);
    if (!made.empty()) weights = scale_outputs(weights, product.matrix, made);
    replace_constant(node, 1, std::move(weights));
  }
  for (const LinkedConstant& linked : links.constants()) {
    const std::vector<double> made = all.of(links, *linked.node->output(0));
    if (made.empty()) continue;
    const Tensor& constant = linked.node->input(linked.input)->constant();
    replace_constant(*linked.node, linked.input, scale_elements(constant, made));
  }
}

Calibration balanced_calibration(const Calibration& calibration, const Session& session,
                                 const ChannelLinks& links, std::span<const BalanceGroup> groups,
                                 FunctionRef<NamedValues(std::int64_t)> sample,
                                 const CollectOptions& options) {
  const ChannelFactors all(groups);
  std::map<std::string, ScaledRecord, std::less<>> records;
  for (const auto& [name, record] : calibration.records()) {
    const Value* value = links.find(name);
    if (value == nullptr) continue;
    std::vector<double> factors = all.of(links, *value);
    if (factors.empty()) continue;
    records.emplace(name, ScaledRecord{*links.axis_of(*value), std::move(factors),
                                       ValueRecord(record.options())});
  }
  Calibration balanced = calibration;
  if (records.empty()) return balanced;
  ScaledObserver observer(records);
  run_samples(session, observer, sample, options);
  for (auto& [name, made] : records) *balanced.find(name) = std::move(made.record);
  return balanced;
}

}  // namespace ortool
