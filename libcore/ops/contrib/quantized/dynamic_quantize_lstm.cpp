// Schema of ONNX Runtime's DynamicQuantizeLSTM, and checks of its scales and zero points.
#include "libcore/ops/contrib/quantized/dynamic_quantize_lstm.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr Formal::Count left_out = Formal::Count::optional;

/// Checks for one element for each direction, or one for each column of each direction.
void check_numbers(const InferContext& context, std::int64_t input, std::string_view name,
                   std::int64_t directions, const Dimension& columns) {
  const PartialShape shape = context.shape(input);
  if (!shape) return;
  check_operand_shape(
      context, input, name,
      shape->size() == 1 ? Dimensions{directions} : Dimensions{directions, columns});
}

}  // namespace

constinit const OpSchema DynamicQuantizeLSTM::schema = {
    "DynamicQuantizeLSTM",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"W", "T2"},
                 {"R", "T2"},
                 {"B", "T", left_out},
                 {"sequence_lens", "T1", left_out},
                 {"initial_h", "T", left_out},
                 {"initial_c", "T", left_out},
                 {"P", "T", left_out},
                 {"W_scale", "T"},
                 {"W_zero_point", "T2"},
                 {"R_scale", "T"},
                 {"R_zero_point", "T2"}},
      .outputs = {{"Y", "T", left_out}, {"Y_h", "T", left_out}, {"Y_c", "T", left_out}},
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "forward"},
                     {"hidden_size", AttributeKind::integer},
                     {"input_forget", AttributeKind::integer, false, 0}},
      .types = {
          {"T", types_of({DataType::float32})}, {"T1", types::int32_only}, {"T2", types::bytes}}}}};

void DynamicQuantizeLSTM::infer(InferContext& context) const {
  infer_layer(context, true);
  const Dimension columns = dimension_at(context, 2, 2);
  check_numbers(context, 8, "W_scale", directions(), columns);
  check_numbers(context, 9, "W_zero_point", directions(), columns);
  check_numbers(context, 10, "R_scale", directions(), columns);
  check_numbers(context, 11, "R_zero_point", directions(), columns);
}

}  // namespace ortool
