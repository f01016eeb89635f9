// Versions of GRU: 3 added linear_before_reset, 7 removed output_sequence, 14 added layout.
#include "libcore/ops/rnn/gru.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> gru_inputs = {
    {"X", "T"},
    {"W", "T"},
    {"R", "T"},
    {"B", "T", Formal::Count::optional},
    {"sequence_lens", "T1", Formal::Count::optional},
    {"initial_h", "T", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> gru_attributes_14 = {
    {"activation_alpha", AttributeKind::floats},
    {"activation_beta", AttributeKind::floats},
    {"activations", AttributeKind::strings},
    {"clip", AttributeKind::float_number},
    {"direction", AttributeKind::string, false, "forward"},
    {"hidden_size", AttributeKind::integer},
    {"layout", AttributeKind::integer, false, 0},
    {"linear_before_reset", AttributeKind::integer, false, 0}};

constexpr std::initializer_list<Formal> gru_outputs_3 = {{"Y", "T", Formal::Count::optional},
                                                         {"Y_h", "T", Formal::Count::optional}};

}  // namespace

constinit const OpSchema GRU::schema = {
    "GRU",
    "",
    {{.since = 1,
      .inputs = gru_inputs,
      .outputs = {{"Y", "T", Formal::Count::optional}, {"Y_h", "T"}},
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "foward"},
                     {"hidden_size", AttributeKind::integer},
                     {"output_sequence", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 3,
      .inputs = gru_inputs,
      .outputs = gru_outputs_3,
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "forward"},
                     {"hidden_size", AttributeKind::integer},
                     {"linear_before_reset", AttributeKind::integer, false, 0},
                     {"output_sequence", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 7,
      .inputs = gru_inputs,
      .outputs = gru_outputs_3,
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "forward"},
                     {"hidden_size", AttributeKind::integer},
                     {"linear_before_reset", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 14,
      .inputs = gru_inputs,
      .outputs = gru_outputs_3,
      .attributes = gru_attributes_14,
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 22,
      .inputs = gru_inputs,
      .outputs = gru_outputs_3,
      .attributes = gru_attributes_14,
      .types = {{"T", types::floats}, {"T1", types::int32_only}}}}};

namespace {

constexpr RecurrentActivation::Function gru_activations[] = {RecurrentActivation::Function::sigmoid,
                                                             RecurrentActivation::Function::tanh};

}  // namespace

void GRU::read(AttributeReader& attributes, int) {
  read_layer(attributes, gru_activations);
  linear_before_reset = attributes.flag("linear_before_reset");
}

void GRU::infer(InferContext& context) const {
  set_outputs(context, check_operands(context, 3));
}

}  // namespace ortool
