// Schema of ONNX Runtime's DynamicTimeWarping.
#include "libcore/ops/contrib/search/dynamic_time_warping.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema DynamicTimeWarping::schema = {
    "DynamicTimeWarping",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "F"}},
      .outputs = {{"output", "I"}},
      .types = {{"F", types::float32_only}, {"I", types::int32_only}}}}};

void DynamicTimeWarping::read(AttributeReader&, int) {}

void DynamicTimeWarping::infer(InferContext& context) const {
  const std::int64_t rank = context.rank(0);
  if (rank >= 0 && rank != 2 && rank != 3) {
    throw Error(ErrorCode::invalid,
                format("'input' has rank {} (expected 2, or 3 with a first axis of 1)", rank));
  }
  if (rank == 3)
    check_dimension("the first axis of 'input'", dimension_at(context, 0, 0), Dimension(1));
  context.set_output(0, DataType::int32, Dimensions{2, context.unknown_dimension()});
}

}  // namespace ortool
