// Schemas and shapes of com.microsoft's sums with a bias.
#include "libcore/ops/contrib/legacy/bias_functions.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr auto may_be_omitted = Formal::Count::optional;
constexpr std::int64_t bits_in_a_word = 32;

constexpr std::initializer_list<Formal> bias_dropout_inputs = {
    {"data", "T"},
    {"bias", "T"},
    {"residual", "T", may_be_omitted},
    {"ratio", "T1", may_be_omitted},
    {"training_mode", "T2", may_be_omitted}};
constexpr std::initializer_list<AttributeSpec> dropout_seed = {{"seed", AttributeKind::integer}};
constexpr std::initializer_list<TypeParameter> bitmask_types = {
    {"T", types::floats},
    {"T1", types::floats},
    {"T2", types::boolean_only},
    {"T3", types_of({DataType::uint32})}};

void set_bits(InferContext& context) {
  const PartialShape shape = context.shape(0);
  const Dimension words = shape ? ceil_divide(product(*shape), bits_in_a_word) : Dimension();
  context.set_output(0, context.element(0), shape);
  context.set_output(1, DataType::uint32, Dimensions{words});
}

void check_addends(const InferContext& context) {
  check_broadcasts_to(context, 1, "bias", context.shape(0));
  check_broadcasts_to(context, 2, "residual", context.shape(0));
}

}  // namespace

constinit const OpSchema BiasAdd::schema = {
    "BiasAdd",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"bias", "T"}, {"skip", "T"}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types_of({DataType::float16, DataType::float32})}}}}};

constinit const OpSchema BiasSoftmax::schema = {
    "BiasSoftmax",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"data", "T"}, {"bias", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1},
                     {"is_inner_broadcast", AttributeKind::integer, true}},
      .types = {{"T", types::high_floats}}}}};

constinit const OpSchema BiasDropout::schema = {
    "BiasDropout",
    contrib_domain,
    {{.since = 1,
      .inputs = bias_dropout_inputs,
      .outputs = {{"output", "T"}, {"mask", "T2", may_be_omitted}},
      .attributes = dropout_seed,
      .types = {{"T", types::floats}, {"T1", types::floats}, {"T2", types::boolean_only}}}}};

constinit const OpSchema BitmaskBiasDropout::schema = {
    "BitmaskBiasDropout",
    contrib_domain,
    {{.since = 1,
      .inputs = bias_dropout_inputs,
      .outputs = {{"output", "T"}, {"mask", "T3", may_be_omitted}},
      .attributes = dropout_seed,
      .types = bitmask_types}}};

constinit const OpSchema BitmaskDropout::schema = {
    "BitmaskDropout",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"data", "T"},
                 {"ratio", "T1", may_be_omitted},
                 {"training_mode", "T2", may_be_omitted}},
      .outputs = {{"output", "T"}, {"mask", "T3", may_be_omitted}},
      .attributes = dropout_seed,
      .types = bitmask_types}}};

void BiasAdd::infer(InferContext& context) const {
  check_rank(context, 0, "X", 3);
  check_vector(context, 1, "bias", dimension_at(context, 0, 2));
  context.set_output(0, common_element(context, 0, 3),
                     merge_shapes(context.shape(0), context.shape(2)));
}

void BiasSoftmax::read(AttributeReader& attributes, int) {
  axis = attributes.integer("axis", 1);
  // How the bias broadcasts follows from its shape.
  attributes.ignore("is_inner_broadcast");
}

void BiasSoftmax::infer(InferContext& context) const {
  if (context.rank(0) >= 0) static_cast<void>(normalize_axis(axis, context.rank(0)));
  check_broadcasts_to(context, 1, "bias", context.shape(0));
  context.set_output(0, common_element(context, 0, 2), context.shape(0));
}

void BiasDropout::read(AttributeReader& attributes, int) {
  attributes.ignore("seed");
}

void BitmaskBiasDropout::read(AttributeReader& attributes, int) {
  attributes.ignore("seed");
}

void BitmaskDropout::read(AttributeReader& attributes, int) {
  attributes.ignore("seed");
}

void BiasDropout::infer(InferContext& context) const {
  check_addends(context);
  context.set_output(0, context.element(0), context.shape(0));
  context.set_output(1, DataType::boolean, context.shape(0));
}

void BitmaskBiasDropout::infer(InferContext& context) const {
  check_addends(context);
  set_bits(context);
}

void BitmaskDropout::infer(InferContext& context) const {
  set_bits(context);
}

}  // namespace ortool
