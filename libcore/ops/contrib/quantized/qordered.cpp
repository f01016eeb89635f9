// Schemas and shape rules of the QOrdered operators but attention.
#include "libcore/ops/contrib/quantized/qordered.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/element_type.hpp"
#include "libcore/ops/math/matmul.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/granularity.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr auto qordered_optional = Formal::Count::optional;
constexpr TypeSet qordered_codes = types_of({DataType::int8});
constexpr TypeSet qordered_floats = types_of({DataType::float16, DataType::float32});

}  // namespace

constinit const OpSchema QuantizeWithOrder::schema = {
    "QuantizeWithOrder",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "F"}, {"scale_input", "S"}},
      .outputs = {{"output", "Q"}},
      .attributes = {{"order_input", AttributeKind::integer, true},
                     {"order_output", AttributeKind::integer, true}},
      .types = {{"Q", qordered_codes}, {"F", qordered_floats}, {"S", types::float32_only}}}}};

void QuantizeWithOrder::read(AttributeReader& attributes, int) {
  from = read_matrix_layout(attributes, "order_input");
  to = read_matrix_layout(attributes, "order_output");
  check_matrix_layout("order_input", from, MatrixLayout::rows);
}

void QuantizeWithOrder::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "input", 1);
  check_single(context, 1, "scale_input");
  check_tiles(context, 0, to);
  context.set_output(0, DataType::int8, context.shape(0));
}

constinit const OpSchema DequantizeWithOrder::schema = {
    "DequantizeWithOrder",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"input", "Q"}, {"scale_input", "S"}},
      .outputs = {{"output", "F"}},
      .attributes = {{"order_input", AttributeKind::integer, true},
                     {"order_output", AttributeKind::integer, true},
                     {"to", AttributeKind::integer, true}},
      .types = {{"Q", qordered_codes}, {"F", qordered_floats}, {"S", types::float32_only}}}}};

void DequantizeWithOrder::read(AttributeReader& attributes, int) {
  from = read_matrix_layout(attributes, "order_input");
  to = read_matrix_layout(attributes, "order_output");
  type = *read_element_type(attributes, "to", "F");
  check_matrix_layout("order_output", to, MatrixLayout::rows);
}

void DequantizeWithOrder::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "input", 1);
  check_single(context, 1, "scale_input");
  check_tiles(context, 0, from);
  context.set_output(0, type, context.shape(0));
}

constinit const OpSchema QOrderedMatMul::schema = {
    "QOrderedMatMul",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "Q"},
                 {"scale_A", "S"},
                 {"B", "Q"},
                 {"scale_B", "S"},
                 {"scale_Y", "S"},
                 {"bias", "S", qordered_optional},
                 {"C", "Q", qordered_optional},
                 {"scale_C", "S", qordered_optional}},
      .outputs = {{"Y", "Q"}},
      .attributes = {{"order_A", AttributeKind::integer, true},
                     {"order_B", AttributeKind::integer, true},
                     {"order_Y", AttributeKind::integer, true}},
      .types = {{"Q", qordered_codes}, {"S", types::float32_only}}}}};

void QOrderedMatMul::read(AttributeReader& attributes, int) {
  check_matrix_layout("order_A", read_matrix_layout(attributes, "order_A"), MatrixLayout::rows);
  check_matrix_layout("order_B", read_matrix_layout(attributes, "order_B"), MatrixLayout::columns);
  check_matrix_layout("order_Y", read_matrix_layout(attributes, "order_Y"), MatrixLayout::rows);
}

void QOrderedMatMul::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "A", 2);
  check_rank_at_least(context, 2, "B", 2);
  const PartialShape b = context.shape(2);
  const Dimension columns = b ? b->back() : Dimension();
  check_single(context, 1, "scale_A");
  check_one_or_vector(context, 3, "scale_B", columns);
  check_single(context, 4, "scale_Y");
  check_vector(context, 5, "bias", columns);
  const PartialShape shape = matmul_shape(context, 0, 2);
  check_broadcasts_to(context, 6, "C", shape);
  if (context.has_input(6) && !context.has_input(7))
    throw Error(ErrorCode::invalid, "'C' has no scale", "give input 'scale_C' as well");
  check_single(context, 7, "scale_C");
  context.set_output(0, DataType::int8, shape);
}

constinit const OpSchema QOrderedGelu::schema = {
    "QOrderedGelu",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "Q"}, {"scale_X", "S"}, {"scale_Y", "S"}},
      .outputs = {{"Y", "Q"}},
      .attributes = {{"order_X", AttributeKind::integer}, {"order_Y", AttributeKind::integer}},
      .types = {{"Q", qordered_codes}, {"S", types::float32_only}}}}};

void QOrderedGelu::read(AttributeReader& attributes, int) {
  // Elements keep their places, whatever the order.
  const MatrixLayout from = read_matrix_layout(attributes, "order_X");
  if (attributes.has("order_Y"))
    check_matrix_layout("order_Y", read_matrix_layout(attributes, "order_Y"), from);
}

void QOrderedGelu::infer(InferContext& context) const {
  check_single(context, 1, "scale_X");
  check_single(context, 2, "scale_Y");
  context.set_output(0, DataType::int8, context.shape(0));
}

constinit const OpSchema QOrderedLayerNormalization::schema = {
    "QOrderedLayerNormalization",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "Q"},
                 {"scale_X", "S"},
                 {"scale", "F"},
                 {"B", "F", qordered_optional},
                 {"scale_Y", "S"}},
      .outputs = {{"Y", "Q"}},
      .attributes = {{"axis", AttributeKind::integer, false, -1},
                     {"epsilon", AttributeKind::float_number, false, 1e-5F},
                     {"order_X", AttributeKind::integer, false, 1},
                     {"order_Y", AttributeKind::integer, false, 1}},
      .types = {{"F", qordered_floats}, {"S", types::float32_only}, {"Q", qordered_codes}}}}};

void QOrderedLayerNormalization::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", -1);
  epsilon = attributes.number("epsilon", 1e-5F);
  check_matrix_layout("order_X", read_matrix_layout(attributes, "order_X"), MatrixLayout::rows);
  check_matrix_layout("order_Y", read_matrix_layout(attributes, "order_Y"), MatrixLayout::rows);
}

void QOrderedLayerNormalization::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  if (shape) static_cast<void>(normalize_axis(axis, static_cast<std::int64_t>(shape->size())));
  check_single(context, 1, "scale_X");
  check_broadcasts_to(context, 2, "scale", shape);
  check_broadcasts_to(context, 3, "B", shape);
  check_single(context, 4, "scale_Y");
  context.set_output(0, DataType::int8, shape);
}

}  // namespace ortool
