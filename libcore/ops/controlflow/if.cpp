// Versions of If, which differ in types only; its outputs have the types common to both branches.
#include "libcore/ops/controlflow/if.hpp"

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/controlflow/body_rules.hpp"
#include "libcore/ops/controlflow/flow_types.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> if_inputs = {{"cond", "B"}};
constexpr std::initializer_list<Formal> if_outputs = {
    {"outputs", "V", Formal::Count::variadic, 1, false}};
constexpr std::initializer_list<AttributeSpec> if_attributes = {
    {"else_branch", AttributeKind::graph, true}, {"then_branch", AttributeKind::graph, true}};

constexpr std::initializer_list<OpVersion> if_versions = {
    {.since = 1,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", types::all_tensors}, {"B", types::boolean_only}}},
    {.since = 11,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", types::all_tensors}, {"B", types::boolean_only}}},
    {.since = 13,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", types::all_tensors | types::all_sequences}, {"B", types::boolean_only}}},
    {.since = 16,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", flow_types(types::all_tensors_and_bfloat16)}, {"B", types::boolean_only}}},
    {.since = 19,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir9)}, {"B", types::boolean_only}}},
    {.since = 21,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir10)}, {"B", types::boolean_only}}},
    {.since = 23,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir11)}, {"B", types::boolean_only}}},
    {.since = 24,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir12)}, {"B", types::boolean_only}}},
    {.since = 25,
     .inputs = if_inputs,
     .outputs = if_outputs,
     .attributes = if_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir13)}, {"B", types::boolean_only}}}};

void check_outputs(const Graph& branch, std::int64_t count, std::string_view name) {
  const auto found = static_cast<std::int64_t>(branch.outputs().size());
  if (branch.inputs().empty() && found == count) return;
  throw Error(ErrorCode::invalid, format("{} has {} inputs and {} outputs (expected none and {})",
                                         name, branch.inputs().size(), found, count))
      .with_id("node.subgraph");
}

}  // namespace

constinit const OpSchema If::schema = {"If", "", if_versions};

void If::read(AttributeReader& attributes, int) {
  then_branch = attributes.graph("then_branch");
  else_branch = attributes.graph("else_branch");
  const std::int64_t count = attributes.node().output_count();
  check_outputs(*then_branch, count, "then_branch");
  check_outputs(*else_branch, count, "else_branch");
}

void If::infer(InferContext& context) const {
  const std::optional<KnownElements> condition =
      context.element(0) == DataType::boolean ? context.input_elements(0) : std::nullopt;
  const bool is_decided = condition && condition->size() == 1 && condition->front().is_number();
  std::vector<InferredValue> results;
  if (is_decided) {
    const bool takes_then = condition->front().numerator.number() != 0;
    static_cast<void>(try_body(context, takes_then ? *else_branch : *then_branch));
    results = context.infer_body(takes_then ? *then_branch : *else_branch, {});
  } else if (std::optional<std::vector<InferredValue>> some = try_body(context, *then_branch)) {
    results = std::move(*some);
    const auto others = try_body(context, *else_branch);
    for (std::size_t i = 0; others && i < results.size(); ++i)
      widen(results[i], (*others)[i], context.unknown_dimension());
  } else {
    // One of the two branches must run.
    results = context.infer_body(*else_branch, {});
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    context.set_output(static_cast<std::int64_t>(i), std::move(results[i]));
}

}  // namespace ortool
