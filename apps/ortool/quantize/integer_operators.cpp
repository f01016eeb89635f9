// Which values are off is known from the QDQ form, that has them all.
#include "apps/ortool/quantize/integer_operators.hpp"

#include "libcore/base/format.hpp"

namespace ortool {

void use_integers(const QuantizeContext& context, const Session& floats, Model& model,
                  std::string_view option) {
  context.result.integers = use_integer_operators(model, &context.invocation.stop);
  if (option.empty()) return;
  CalibrationData data(context.invocation, option, floats.model().graph->inputs(),
                       floats.outputs());
  const std::unique_ptr<Session> integers =
      make_session(context.invocation, context.machine, model, OptimizeLevel::none);
  EndToEnd& end_to_end = context.result.end_to_end;
  end_to_end.outputs = compare_outputs(context.invocation, context.machine, floats, *integers, data,
                                       end_to_end.samples);
}

Json integers_block(const QuantizeReport& result) {
  if (!result.settings->has_integer_operators) return {};
  Json operators = Json::object();
  for (const auto& [op_type, count] : result.integers.operators) operators.set(op_type, count);
  return Json::object()
      .set("operators", std::move(operators))
      .set("clusters_left", result.integers.clusters_left);
}

std::string integers_text(const QuantizeReport& result) {
  if (!result.settings->has_integer_operators) return {};
  std::string text;
  for (const auto& [op_type, count] : result.integers.operators)
    text += format("{}{} {}", text.empty() ? "" : ", ", count, op_type);
  return format("operators on integers: {}; {} results have none and stay QDQ\n",
                text.empty() ? "none" : text, result.integers.clusters_left);
}

}  // namespace ortool
