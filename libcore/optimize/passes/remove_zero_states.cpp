// Removes initial states of recurrent nodes that are all zeros, which is the default.
#include "libcore/graph/algorithms/traverse.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/generator/constant_of_shape.hpp"
#include "libcore/optimize/passes/passes.hpp"
#include "libcore/optimize/rewrite/node_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"

namespace ortool {
namespace {

constexpr std::string_view remove_zero_states_name = "remove-zero-states";
/// The hidden state, followed by the cell state.
constexpr std::int64_t first_state = 5;
constexpr std::int64_t state_count = 2;

/// Looks through nodes that repeat or move elements.
bool is_all_zeros(const Value& value) {
  const Value* at = &value;
  for (const Node* producer = at->producer(); producer != nullptr; producer = at->producer()) {
    if (producer->op_type() == "ConstantOfShape" && producer->domain().empty())
      return is_exactly_filled_with(read_op<ConstantOfShape>(*producer).value, 0);
    if (!has_trait(*producer, OpTrait::data_movement) || producer->input(0) == nullptr)
      return false;
    at = producer->input(0);
  }
  const Tensor* tensor = constant_of(*at);
  return tensor != nullptr && is_exactly_filled_with(*tensor, 0);
}

/// Whether the state has the shape of the default zeros; the node validates an explicit one.
bool has_own_shape(const Node& node, const Value& state) {
  const Dimensions* x = node.input(0) != nullptr ? dimensions_of(*node.input(0)) : nullptr;
  const Dimensions* weights = node.input(2) != nullptr ? dimensions_of(*node.input(2)) : nullptr;
  const Dimensions* given = dimensions_of(state);
  if (x == nullptr || weights == nullptr || given == nullptr || x->size() != 3 ||
      weights->size() != 3 || given->size() != 3)
    return false;
  const Attribute* layout = node.find_attribute("layout");
  const bool is_batch_first = layout != nullptr && std::get<std::int64_t>(layout->value) != 0;
  const Dimension& batch = (*x)[is_batch_first ? 0 : 1];
  return are_equal((*given)[is_batch_first ? 0 : 1], batch) &&
         are_equal((*given)[is_batch_first ? 1 : 0], (*weights)[0]) &&
         are_equal((*given)[2], (*weights)[2]);
}

void remove_from(Graph& graph, const RewriteOptions& options, PassNotes& notes) {
  for (Node& node : graph.nodes()) {
    options.poll();
    if (!has_trait(node, OpTrait::recurrent)) continue;
    for (std::int64_t i = first_state; i < first_state + state_count; ++i) {
      Value* const state = node.input(i);
      if (state == nullptr) continue;
      if (!is_all_zeros(*state)) {
        notes.left(node.name(), "an initial state is not known to be zeros");
        continue;
      }
      if (!has_own_shape(node, *state)) {
        notes.left(node.name(), "an initial state is not known to have the right shape");
        continue;
      }
      if (!notes.permits(node.name())) return;
      graph.set_input(node, i, nullptr);
      if (state->is_constant() && state->uses().empty()) graph.remove_value(*state);
    }
    while (node.input_count() > 0 && node.input(node.input_count() - 1) == nullptr)
      graph.remove_last_input(node);
  }
}

}  // namespace

Pass remove_zero_states() {
  return {.name = remove_zero_states_name,
          .summary = "removes initial states of LSTM, GRU and RNN that are zeros",
          .run = [](Model& model, const RewriteOptions& options, RewriteReport& report) {
            PassNotes notes(remove_zero_states_name, options, report);
            for (Graph* graph : graphs_in(*model.graph)) remove_from(*graph, options, notes);
          }};
}

}  // namespace ortool
