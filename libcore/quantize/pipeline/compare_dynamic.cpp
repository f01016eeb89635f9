// Comparison with dynamic quantization: both forms run as they would be used.
#include "libcore/quantize/pipeline/compare_dynamic.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/quantize/pipeline/quantize_without_data.hpp"
#include "libcore/quantize/report/stored_bytes.hpp"
#include "libcore/quantize/search/candidate.hpp"

namespace ortool {
namespace {

/// Above it, noise is below a hundredth of the signal.
constexpr double poor_db = 20;
/// Less is not worth slower products.
constexpr double min_gain_db = 6;
constexpr std::int64_t max_samples = 8;
/// A dynamic form that stays mostly in float, as of convolutions, is no alternative.
constexpr double most_size = 1.25;

}  // namespace

void warn_if_dynamic_is_better(const QuantizeContext& context, const Session& floats,
                               const Model& prepared, const Model& model, CalibrationData& data) {
  if (!(worst_sqnr_db(context.result.end_to_end.outputs) < poor_db)) return;
  const DataType weights = context.settings.weights.type;
  if (weights != DataType::int8 && weights != DataType::uint8) return;
  QuantizeSettings settings = context.settings;
  settings.mode = QuantizeMode::dynamically;
  const QuantizeContext dynamic{
      context.task,    settings,      context.data,       context.machine, context.patterns,
      context.choices, context.cache, context.model_path, context.result,  context.store};
  const std::unique_ptr<Model> copy = copy_model(prepared);
  const MadePlan plan = make_dynamic(dynamic, *copy, {});
  if (static_cast<double>(stored_bytes(*copy).total()) >
      most_size * static_cast<double>(stored_bytes(model).total()))
    return;
  const auto quantized = std::count_if(plan.nodes.begin(), plan.nodes.end(),
                                       [](const ReportedNode& node) { return node.is_quantized; });
  if (quantized == 0) return;
  const auto worst_of = [&](const Model& tried) {
    const auto session =
        make_session(context.task, context.machine, tried, level_of_comparison(context.task));
    return worst_sqnr_db(
        compare_outputs(context.task, context.machine, floats, *session, data, max_samples));
  };
  const double here = worst_of(model);
  const double there = worst_of(*copy);
  if (!(there > here + min_gain_db)) return;
  context.task.warn(
      format("the worst output has an SQNR of {}; with ranges computed at run time ({} {}, {} of "
             "the nodes "
             "quantized) it has {}, measured on {} samples",
             decibels(here), setting_name("mode"), name_of(settings.mode), quantized,
             decibels(there), std::min(data.size(), max_samples)));
}

}  // namespace ortool
