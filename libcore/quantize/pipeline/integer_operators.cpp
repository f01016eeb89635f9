// QOperator conversion; per-value errors come from the QDQ model, which has all values.
#include "libcore/quantize/pipeline/integer_operators.hpp"

namespace ortool {

void use_integers(const QuantizeContext& context, const Session& floats, Model& model,
                  DataRole role) {
  context.result.integers = use_integer_operators(model, &context.task.stop);
  if (role == DataRole::none) return;
  CalibrationData data(context.task, context.data, role, floats.model().inputs(), floats.outputs());
  const std::unique_ptr<Session> integers =
      make_session(context.task, context.machine, model, OptimizeLevel::none);
  EndToEnd& end_to_end = context.result.end_to_end;
  end_to_end.runs.clear();  // of the QDQ model
  end_to_end.outputs =
      compare_outputs(context.task, context.machine, floats, *integers, data, end_to_end.samples);
}

}  // namespace ortool
