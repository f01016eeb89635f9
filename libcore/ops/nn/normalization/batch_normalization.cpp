// Versions of BatchNormalization; each of them marks training mode in another way.
#include "libcore/ops/nn/normalization/batch_normalization.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

constinit const OpSchema BatchNormalization::schema = {
    "BatchNormalization",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}, {"scale", "T"}, {"B", "T"}, {"mean", "T"}, {"var", "T"}},
      .outputs = {{"Y", "T"},
                  {"mean", "T", Formal::Count::optional},
                  {"var", "T", Formal::Count::optional},
                  {"saved_mean", "T", Formal::Count::optional},
                  {"saved_var", "T", Formal::Count::optional}},
      .attributes = {{"consumed_inputs", AttributeKind::integers, true},
                     {"epsilon", AttributeKind::float_number, false, 1e-05F},
                     {"is_test", AttributeKind::integer, false, 0},
                     {"momentum", AttributeKind::float_number, false, 0.9F},
                     {"spatial", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 6,
      .inputs = {{"X", "T"}, {"scale", "T"}, {"B", "T"}, {"mean", "T"}, {"var", "T"}},
      .outputs = {{"Y", "T"},
                  {"mean", "T", Formal::Count::optional},
                  {"var", "T", Formal::Count::optional},
                  {"saved_mean", "T", Formal::Count::optional},
                  {"saved_var", "T", Formal::Count::optional}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F},
                     {"is_test", AttributeKind::integer, false, 0},
                     {"momentum", AttributeKind::float_number, false, 0.9F},
                     {"spatial", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 7,
      .inputs = {{"X", "T"}, {"scale", "T"}, {"B", "T"}, {"mean", "T"}, {"var", "T"}},
      .outputs = {{"Y", "T"},
                  {"mean", "T", Formal::Count::optional},
                  {"var", "T", Formal::Count::optional},
                  {"saved_mean", "T", Formal::Count::optional},
                  {"saved_var", "T", Formal::Count::optional}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F},
                     {"momentum", AttributeKind::float_number, false, 0.9F},
                     {"spatial", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}},
     {.since = 9,
      .inputs = {{"X", "T"}, {"scale", "T"}, {"B", "T"}, {"mean", "T"}, {"var", "T"}},
      .outputs = {{"Y", "T"},
                  {"mean", "T", Formal::Count::optional},
                  {"var", "T", Formal::Count::optional},
                  {"saved_mean", "T", Formal::Count::optional},
                  {"saved_var", "T", Formal::Count::optional}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F},
                     {"momentum", AttributeKind::float_number, false, 0.9F}},
      .types = {{"T", types::high_floats}}},
     {.since = 14,
      .inputs = {{"X", "T"}, {"scale", "T"}, {"B", "T"}, {"input_mean", "U"}, {"input_var", "U"}},
      .outputs = {{"Y", "T"},
                  {"running_mean", "U", Formal::Count::optional},
                  {"running_var", "U", Formal::Count::optional}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F},
                     {"momentum", AttributeKind::float_number, false, 0.9F},
                     {"training_mode", AttributeKind::integer, false, 0}},
      .types = {{"T", types::floats}, {"U", types::floats}}},
     {.since = 15,
      .inputs =
          {{"X", "T"}, {"scale", "T1"}, {"B", "T1"}, {"input_mean", "T2"}, {"input_var", "T2"}},
      .outputs = {{"Y", "T"},
                  {"running_mean", "T2", Formal::Count::optional},
                  {"running_var", "T2", Formal::Count::optional}},
      .attributes = {{"epsilon", AttributeKind::float_number, false, 1e-05F},
                     {"momentum", AttributeKind::float_number, false, 0.9F},
                     {"training_mode", AttributeKind::integer, false, 0}},
      .types = {{"T", types::floats}, {"T1", types::floats}, {"T2", types::floats}}}}};

namespace {

constexpr const char* statistics_names[] = {"", "scale", "B", "mean", "var"};

Dimension channels_of(const InferContext& context) {
  return context.rank(0) == 1 ? Dimension(1) : dimension_at(context, 0, 1);
}

}  // namespace

void BatchNormalization::read(AttributeReader& attributes, int version) {
  epsilon = attributes.number("epsilon", 1e-5F);
  momentum = attributes.number("momentum", 0.9F);
  is_per_channel = attributes.flag("spatial", true);
  is_training = attributes.flag("training_mode");
  if (version >= 14) return;
  // is_test is 0 by default, even in files made for inference, so only the outputs reveal the mode.
  for (std::int64_t i = 1; i < attributes.node().output_count(); ++i)
    is_training = is_training || attributes.node().output(i) != nullptr;
}

void BatchNormalization::infer(InferContext& context) const {
  const PartialShape shape = context.shape(0);
  check_rank_at_least(context, 0, "X", 1);
  PartialShape statistics;
  if (is_per_channel) {
    statistics = Dimensions{channels_of(context)};
    for (std::int64_t i = 1; i < 5; ++i)
      check_vector(context, i, statistics_names[i], statistics->front());
  } else if (shape) {
    statistics = Dimensions(shape->begin() + 1, shape->end());
    for (std::int64_t i = 1; i < 5; ++i) {
      check_rank(context, i, statistics_names[i], static_cast<std::int64_t>(statistics->size()));
      check_broadcasts_to(context, i, statistics_names[i], statistics);
    }
  }
  context.set_output(0, context.element(0), shape);
  for (std::int64_t i = 1; i < context.output_count(); ++i)
    context.set_output(i, context.element(3), statistics);
}

}  // namespace ortool
