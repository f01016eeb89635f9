// Schemas of MulInteger and ReduceSumInteger.
#include "libcore/ops/contrib/quantized/integer_arithmetic.hpp"

#include "libcore/ops/contrib/quantized/qlinear_pool.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema MulInteger::schema = {
    "MulInteger",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"},
                 {"A_zero_point", "T", Formal::Count::optional},
                 {"B", "T"},
                 {"B_zero_point", "T", Formal::Count::optional}},
      .outputs = {{"C", "T1"}},
      .types = {{"T", types::bytes}, {"T1", types::int32_only}}}}};

constinit const OpSchema ReduceSumInteger::schema = {
    "ReduceSumInteger",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"data", "T1"}},
      .outputs = {{"reduced", "T2"}},
      .attributes = {{"axes", AttributeKind::integers, true},
                     {"keepdims", AttributeKind::integer, true}},
      .types = {{"T1", types::bytes}, {"T2", types_of({DataType::int32, DataType::uint32})}}}}};

void MulInteger::infer(InferContext& context) const {
  check_single(context, 1, "A_zero_point");
  check_single(context, 3, "B_zero_point");
  context.set_output(0, DataType::int32, broadcast_shapes(context.shape(0), context.shape(2)));
}

void ReduceSumInteger::read(AttributeReader& attributes, int) {
  axes = attributes.find_integers("axes").value_or(std::vector<std::int64_t>());
  keep_dimensions = attributes.flag("keepdims", true);
}

void ReduceSumInteger::infer(InferContext& context) const {
  const DataType type = context.element(0) == DataType::uint8 ? DataType::uint32 : DataType::int32;
  context.set_output(0, type, reduced_shape(context.shape(0), axes, keep_dimensions));
}

}  // namespace ortool
