// Schema of AttnLSTM, and checks of its attention's weights.
#include "libcore/ops/contrib/legacy/attn_lstm.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr auto attn_optional = Formal::Count::optional;

}  // namespace

// ONNX Runtime's schema lets all operands of the attention be left out, its kernel none but two.
constinit const OpSchema AttnLSTM::schema = {
    "AttnLSTM",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"W", "T"},
                 {"R", "T"},
                 {"B", "T", attn_optional},
                 {"sequence_lens", "T1", attn_optional},
                 {"initial_h", "T", attn_optional},
                 {"initial_c", "T", attn_optional},
                 {"P", "T", attn_optional},
                 {"QW", "T"},
                 {"MW", "T"},
                 {"V", "T"},
                 {"M", "T"},
                 {"memory_seq_lens", "T1", attn_optional},
                 {"AW", "T", attn_optional}},
      .outputs = {{"Y", "T", attn_optional},
                  {"Y_h", "T", attn_optional},
                  {"Y_c", "T", attn_optional}},
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "forward"},
                     {"hidden_size", AttributeKind::integer},
                     {"input_forget", AttributeKind::integer, false, 0}},
      .types = {{"T", types_of({DataType::float32, DataType::float64})},
                {"T1", types::int32_only}}}}};

void AttnLSTM::infer(InferContext& context) const {
  const Dimension ways = directions();
  const Dimension hidden = dimension_at(context, 2, 2);
  const Dimension batch = dimension_at(context, 0, 1);
  const Dimension depth =
      merge_dimensions(dimension_at(context, 9, 1), dimension_at(context, 11, 2));
  const Dimension size = merge_dimensions(dimension_at(context, 8, 2), dimension_at(context, 9, 2));
  const bool has_layer = context.has_input(13);
  infer_layer(context, false, has_layer ? dimension_at(context, 13, 2) : depth);
  check_operand_shape(context, 8, "QW", {ways, hidden, size});
  check_operand_shape(context, 9, "MW", {ways, depth, size});
  check_operand_shape(context, 10, "V", {ways, size});
  check_operand_shape(context, 11, "M", {batch, dimension_at(context, 11, 1), depth});
  check_operand_shape(context, 12, "memory_seq_lens", {batch});
  check_operand_shape(context, 13, "AW", {ways, hidden + depth, dimension_at(context, 13, 2)});
}

}  // namespace ortool
