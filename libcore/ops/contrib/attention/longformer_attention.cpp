// Schema and shape rule of LongformerAttention.
#include "libcore/ops/contrib/attention/longformer_attention.hpp"

#include <string_view>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/attention/attention_heads.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema LongformerAttention::schema = {
    "LongformerAttention",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "T"},
                 {"weight", "T"},
                 {"bias", "T"},
                 {"mask", "T"},
                 {"global_weight", "T"},
                 {"global_bias", "T"},
                 {"global", "G"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"num_heads", AttributeKind::integer, true},
                     {"window", AttributeKind::integer, true}},
      .types = {{"T", types_of({DataType::float32, DataType::float16})},
                {"G", types::int32_only}}}}};

void LongformerAttention::read(AttributeReader& attributes, int) {
  heads = read_heads(attributes, "num_heads");
  window = attributes.integer_in("window", 1, 1, std::int64_t{1} << 31);
}

void LongformerAttention::check_operands(const InferContext& context, const Operands& operands) {
  check_rank(context, 0, "input", 3);
  const Dimension width = dimension_at(context, 0, 2);
  static_cast<void>(head_size("the width of 'input'", width, operands.heads));
  const Dimension length = dimension_at(context, 0, 1);
  if (length.is_known() && length.number() % (2 * operands.window) != 0)
    throw Error(ErrorCode::invalid,
                format("the length of 'input' is {} (expected a multiple of {}, twice the window)",
                       length.number(), 2 * operands.window),
                "pad the input and its mask");
  const auto check_projection = [&](std::int64_t weight, std::int64_t bias, std::string_view name,
                                    std::string_view bias_name) {
    check_rank(context, weight, name, 2);
    check_dimension(format("the rows of '{}'", name), dimension_at(context, weight, 0), width);
    check_dimension(format("the columns of '{}'", name), dimension_at(context, weight, 1),
                    width + width + width);
    check_vector(context, bias, bias_name, width + width + width);
  };
  check_projection(operands.weight, operands.bias, "weight", "bias");
  check_projection(operands.global_weight, operands.global_bias, "global_weight", "global_bias");
  const auto check_tokens = [&](std::int64_t input, std::string_view name) {
    check_rank(context, input, name, 2);
    const Dimensions expected = {dimension_at(context, 0, 0), length};
    static_cast<void>(merge_shapes(context.shape(input), expected));
  };
  check_tokens(operands.mask, "mask");
  check_tokens(operands.global, "global");
}

void LongformerAttention::infer(InferContext& context) const {
  check_operands(context, {heads, window, 1, 2, 3, 4, 5, 6});
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
