// Versions of RNN: 7 removed output_sequence, 14 added layout, 22 bfloat16.
#include "libcore/ops/rnn/rnn.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<const char*> rnn_functions = {"Tanh", "Tanh"};

constexpr std::initializer_list<Formal> rnn_inputs = {
    {"X", "T"},
    {"W", "T"},
    {"R", "T"},
    {"B", "T", Formal::Count::optional},
    {"sequence_lens", "T1", Formal::Count::optional},
    {"initial_h", "T", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> rnn_attributes_14 = {
    {"activation_alpha", AttributeKind::floats},
    {"activation_beta", AttributeKind::floats},
    {"activations", AttributeKind::strings, false, rnn_functions},
    {"clip", AttributeKind::float_number},
    {"direction", AttributeKind::string, false, "forward"},
    {"hidden_size", AttributeKind::integer},
    {"layout", AttributeKind::integer, false, 0}};

constexpr std::initializer_list<Formal> rnn_outputs = {{"Y", "T", Formal::Count::optional},
                                                       {"Y_h", "T", Formal::Count::optional}};

}  // namespace

constinit const OpSchema RNN::schema = {
    "RNN",
    "",
    {{.since = 1,
      .inputs = rnn_inputs,
      .outputs = rnn_outputs,
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings, false, rnn_functions},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "forward"},
                     {"hidden_size", AttributeKind::integer},
                     {"output_sequence", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 7,
      .inputs = rnn_inputs,
      .outputs = rnn_outputs,
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings, false, rnn_functions},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "forward"},
                     {"hidden_size", AttributeKind::integer}},
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 14,
      .inputs = rnn_inputs,
      .outputs = rnn_outputs,
      .attributes = rnn_attributes_14,
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 22,
      .inputs = rnn_inputs,
      .outputs = rnn_outputs,
      .attributes = rnn_attributes_14,
      .types = {{"T", types::floats}, {"T1", types::int32_only}}}}};

namespace {

constexpr RecurrentActivation::Function rnn_activations[] = {RecurrentActivation::Function::tanh};

}  // namespace

void RNN::read(AttributeReader& attributes, int) {
  read_layer(attributes, rnn_activations);
}

void RNN::infer(InferContext& context) const {
  set_outputs(context, check_operands(context, 1));
}

}  // namespace ortool
