// Schema and shape rule of LongformerAttention.
#include "libcore/ops/contrib/attention/longformer_attention.hpp"

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

void LongformerAttention::infer(InferContext& context) const {
  check_rank(context, 0, "input", 3);
  const PartialShape shape = context.shape(0);
  const Dimension width = dimension_at(context, 0, 2);
  static_cast<void>(head_size("the width of 'input'", width, heads));
  const Dimension length = dimension_at(context, 0, 1);
  if (length.is_known() && length.number() % (2 * window) != 0)
    throw Error(ErrorCode::invalid,
                format("the length of 'input' is {} (expected a multiple of {}, twice the window)",
                       length.number(), 2 * window),
                "pad the input and its mask");
  const auto check_projection = [&](std::int64_t weight, const char* name, const char* bias) {
    check_rank(context, weight, name, 2);
    check_dimension(format("the rows of '{}'", name), dimension_at(context, weight, 0), width);
    check_dimension(format("the columns of '{}'", name), dimension_at(context, weight, 1),
                    width + width + width);
    check_vector(context, weight + 1, bias, width + width + width);
  };
  check_projection(1, "weight", "bias");
  check_projection(4, "global_weight", "global_bias");
  for (const std::int64_t input : {3, 6}) {
    check_rank(context, input, input == 3 ? "mask" : "global", 2);
    const Dimensions expected = {dimension_at(context, 0, 0), length};
    static_cast<void>(merge_shapes(context.shape(input), expected));
  }
  context.set_output(0, context.element(0), shape);
}

}  // namespace ortool
