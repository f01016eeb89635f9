// Versions of LSTM: 7 removed output_sequence, 14 added layout, 22 bfloat16.
#include "libcore/ops/rnn/lstm.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> lstm_inputs = {
    {"X", "T"},
    {"W", "T"},
    {"R", "T"},
    {"B", "T", Formal::Count::optional},
    {"sequence_lens", "T1", Formal::Count::optional},
    {"initial_h", "T", Formal::Count::optional},
    {"initial_c", "T", Formal::Count::optional},
    {"P", "T", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> lstm_attributes_14 = {
    {"activation_alpha", AttributeKind::floats},
    {"activation_beta", AttributeKind::floats},
    {"activations", AttributeKind::strings},
    {"clip", AttributeKind::float_number},
    {"direction", AttributeKind::string, false, "forward"},
    {"hidden_size", AttributeKind::integer},
    {"input_forget", AttributeKind::integer, false, 0},
    {"layout", AttributeKind::integer, false, 0}};

constexpr std::initializer_list<Formal> lstm_outputs = {{"Y", "T", Formal::Count::optional},
                                                        {"Y_h", "T", Formal::Count::optional},
                                                        {"Y_c", "T", Formal::Count::optional}};

}  // namespace

constinit const OpSchema LSTM::schema = {
    "LSTM",
    "",
    {{.since = 1,
      .inputs = lstm_inputs,
      .outputs = lstm_outputs,
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "forward"},
                     {"hidden_size", AttributeKind::integer},
                     {"input_forget", AttributeKind::integer, false, 0},
                     {"output_sequence", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 7,
      .inputs = lstm_inputs,
      .outputs = lstm_outputs,
      .attributes = {{"activation_alpha", AttributeKind::floats},
                     {"activation_beta", AttributeKind::floats},
                     {"activations", AttributeKind::strings},
                     {"clip", AttributeKind::float_number},
                     {"direction", AttributeKind::string, false, "forward"},
                     {"hidden_size", AttributeKind::integer},
                     {"input_forget", AttributeKind::integer, false, 0}},
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 14,
      .inputs = lstm_inputs,
      .outputs = lstm_outputs,
      .attributes = lstm_attributes_14,
      .types = {{"T", types::high_floats}, {"T1", types::int32_only}}},
     {.since = 22,
      .inputs = lstm_inputs,
      .outputs = lstm_outputs,
      .attributes = lstm_attributes_14,
      .types = {{"T", types::floats}, {"T1", types::int32_only}}}}};

namespace {

constexpr RecurrentActivation::Function lstm_activations[] = {
    RecurrentActivation::Function::sigmoid, RecurrentActivation::Function::tanh,
    RecurrentActivation::Function::tanh};

}  // namespace

void LSTM::read(AttributeReader& attributes, int) {
  read_layer(attributes, lstm_activations);
  couples_gates = attributes.flag("input_forget");
}

void LSTM::infer(InferContext& context) const {
  infer_layer(context, false);
}

void LSTM::infer_layer(InferContext& context, bool is_transposed, const Dimension& more) const {
  const Sizes sizes = check_operands(context, 4, is_transposed, more);
  check_operand_shape(context, 6, "initial_c", state_shape(sizes));
  check_operand_shape(context, 7, "P", {directions(), weight_rows(sizes, 3)});
  set_outputs(context, sizes);
  context.set_output(2, context.element(0), state_shape(sizes));
}

}  // namespace ortool
