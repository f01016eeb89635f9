// Empirical bias correction: measures mean output shifts in topological order, so that each layer
// is measured with earlier shifts corrected.
#include <algorithm>

#include "libcore/quantize/calibrate/sample_split.hpp"
#include "libcore/quantize/search/product_steps.hpp"
#include "libcore/quantize/search/techniques.hpp"

namespace ortool {
namespace {

constexpr std::size_t max_shift_steps = 8;
constexpr std::size_t max_shift_samples = 32;

struct Corrected {
  std::string plan_name;
  std::string output;
  bool is_convolution = false;
};

std::vector<Corrected> corrected_products(const MadePlan& plan) {
  std::vector<Corrected> products;
  for (const ReportedNode& node : plan.nodes) {
    if (!node.is_quantized || node.role != QuantizeRole::product || !node.has_weights ||
        !node.has_bias) {
      continue;
    }
    const bool is_matrix = node.op_type == "MatMul" || node.op_type == "Gemm";
    products.push_back({node.plan_name, node.output, !is_matrix});
  }
  return products;
}

}  // namespace

void measure_shifts(const CandidateBuilder& builder, const Session& floats, CalibrationData& data,
                    BiasCorrectionScope reach, PlanChoices& choices) {
  const QuantizeContext& context = builder.context();
  Progress progress(context.task, "measuring biases");
  RunOptions options;
  options.threads = context.machine.threads;
  options.stop = &context.task.stop;
  std::vector<std::int64_t> samples = split_samples(data.size()).fitting;
  if (samples.size() > max_shift_samples) samples.resize(max_shift_samples);
  Candidate candidate = builder.make(choices);
  const std::vector<Corrected> products = corrected_products(candidate.plan);
  std::vector<std::string> made;
  for (const Corrected& product : products) made.push_back(product.output);
  const std::vector<std::vector<std::size_t>> steps = product_steps(
      *candidate.model->graph, made, reach == BiasCorrectionScope::all ? max_shift_steps : 0);
  const auto total = static_cast<std::int64_t>(steps.size() * samples.size());
  std::int64_t done = 0;
  for (const std::vector<std::size_t>& step : steps) {
    const auto session = builder.session(*candidate.model, OptimizeLevel::none);
    std::vector<ErrorRequest> requests;
    for (const std::size_t i : step) {
      requests.push_back(
          {{products[i].output, products[i].output}, products[i].is_convolution ? 1 : -1});
    }
    ErrorCollector collector(requests);
    for (const std::int64_t sample : samples) {
      progress.tell_done(done++, total);
      collector.add(floats, *session, data.sample(sample).inputs, options);
    }
    for (const std::size_t i : step) {
      const ValueError* error = collector.find(products[i].output);
      if (error == nullptr) continue;
      std::vector<double> shift = error->sums.channel_mean_errors();
      if (!shift.empty()) choices.nodes[products[i].plan_name].bias_shift = std::move(shift);
    }
    if (&step != &steps.back()) candidate = builder.make(choices);
  }
}

}  // namespace ortool
