// Versions of Loop, its trip count, and shapes that hold for every iteration.
#include "libcore/ops/controlflow/loop.hpp"

#include <algorithm>
#include <span>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/controlflow/body_rules.hpp"
#include "libcore/ops/controlflow/flow_types.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> loop_inputs_1 = {
    {"M", "I", Formal::Count::optional},
    {"cond", "B", Formal::Count::optional},
    {"v_initial", "V", Formal::Count::variadic, 1, false}};
constexpr std::initializer_list<Formal> loop_inputs_11 = {
    {"M", "I", Formal::Count::optional},
    {"cond", "B", Formal::Count::optional},
    {"v_initial", "V", Formal::Count::variadic, 0, false}};
constexpr std::initializer_list<Formal> loop_outputs = {
    {"v_final_and_scan_outputs", "V", Formal::Count::variadic, 1, false}};
constexpr std::initializer_list<AttributeSpec> loop_attributes = {
    {"body", AttributeKind::graph, true}};

constexpr std::initializer_list<OpVersion> loop_versions = {
    {.since = 1,
     .inputs = loop_inputs_1,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", types::all_tensors}, {"I", types::int64_only}, {"B", types::boolean_only}}},
    {.since = 11,
     .inputs = loop_inputs_11,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", types::all_tensors}, {"I", types::int64_only}, {"B", types::boolean_only}}},
    {.since = 13,
     .inputs = loop_inputs_11,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", types::all_tensors | types::all_sequences},
               {"I", types::int64_only},
               {"B", types::boolean_only}}},
    {.since = 16,
     .inputs = loop_inputs_11,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", flow_types(types::all_tensors_and_bfloat16)},
               {"I", types::int64_only},
               {"B", types::boolean_only}}},
    {.since = 19,
     .inputs = loop_inputs_11,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir9)},
               {"I", types::int64_only},
               {"B", types::boolean_only}}},
    {.since = 21,
     .inputs = loop_inputs_11,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir10)},
               {"I", types::int64_only},
               {"B", types::boolean_only}}},
    {.since = 23,
     .inputs = loop_inputs_11,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir11)},
               {"I", types::int64_only},
               {"B", types::boolean_only}}},
    {.since = 24,
     .inputs = loop_inputs_11,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir12)},
               {"I", types::int64_only},
               {"B", types::boolean_only}}},
    {.since = 25,
     .inputs = loop_inputs_11,
     .outputs = loop_outputs,
     .attributes = loop_attributes,
     .types = {{"V", flow_types(types::all_tensors_ir13)},
               {"I", types::int64_only},
               {"B", types::boolean_only}}}};

std::optional<Dimension> single(const std::optional<KnownElements>& elements) {
  if (!elements || elements->size() != 1) return std::nullopt;
  return elements->front().numerator;
}

bool is_true(const InferredValue& value) {
  return single(value.elements).value_or(Dimension()) == Dimension(1);
}

/// The number of iterations, given whether the condition is known to stay true.
Dimension trip_count(const InferContext& context, bool stays_true) {
  const std::optional<Dimension> most =
      context.has_input(0) ? single(context.input_elements(0)) : std::nullopt;
  const std::optional<Dimension> starts =
      context.has_input(1) ? single(context.input_elements(1)) : Dimension(1);
  if (most && most->is_known() && most->number() <= 0) return 0;
  if (starts && *starts == Dimension(0)) return 0;
  if (!stays_true || !starts || *starts != Dimension(1) || !most) return {};
  return max(*most, 0);
}

/// Symbols of sizes that change between iterations have no meaning outside the body: both those
/// that the file declares and those of an earlier inference.
void forget_sizes(std::vector<InferredValue>& values, const std::vector<InferredValue>& carried,
                  std::span<Value* const> inputs, const Dimension& unknown) {
  SymbolMap inside;
  for (std::size_t i = 0; i < carried.size(); ++i) {
    const PartialShape& open = carried[i].type.shape;
    const PartialShape& declared = inputs[i]->type().shape;
    if (!open || !declared || open->size() != declared->size()) continue;
    for (std::size_t axis = 0; axis < open->size(); ++axis) {
      const Dimension& size = (*declared)[axis];
      if ((*open)[axis].is_unknown() && size.is_symbol()) inside.emplace(size.symbol(), unknown);
    }
  }
  for (InferredValue& value : values) {
    if (value.type.shape) {
      for (Dimension& dimension : *value.type.shape) {
        if (dimension.is_formula()) dimension = substitute(dimension, inside);
      }
    }
    if (!value.elements) continue;
    for (KnownElement& element : *value.elements) {
      if (element.numerator.is_formula()) element = substitute(element.numerator, inside);
    }
  }
}

}  // namespace

constinit const OpSchema Loop::schema = {"Loop", "", loop_versions};

void Loop::read(AttributeReader& attributes, int) {
  body = attributes.graph("body");
  const std::int64_t carried = std::max<std::int64_t>(attributes.node().input_count() - 2, 0);
  const auto scanned = static_cast<std::int64_t>(body->outputs().size()) - 1 - carried;
  check_body(*body, carried + 2, 1 + carried + std::max<std::int64_t>(scanned, 0));
  check_output_count(attributes.node(), carried + scanned);
}

void Loop::infer(InferContext& context) const {
  const Dimension unknown = context.unknown_dimension();
  std::vector<InferredValue> carried;
  for (std::int64_t i = 2; i < context.input_count(); ++i) carried.push_back(context.input(i));
  const InferredValue iteration{ValueType::tensor(DataType::int64, Dimensions{}), std::nullopt};
  // Inside the body, the condition is always true.
  const InferredValue condition{ValueType::tensor(DataType::boolean, Dimensions{}),
                                KnownElements{Dimension(1)}};
  const std::vector<InferredValue> before = carried;
  bool stays_true = false;
  const auto run_body = [&](const std::vector<InferredValue>& values) {
    std::vector<InferredValue> inputs = {iteration, condition};
    inputs.insert(inputs.end(), values.begin(), values.end());
    std::vector<InferredValue> outputs = context.infer_body(*body, std::move(inputs));
    stays_true = is_true(outputs.front());
    outputs.erase(outputs.begin());
    return outputs;
  };
  const std::span<Value* const> inputs = body->inputs().subspan(2);
  std::vector<InferredValue> results = repeat_body(carried, unknown, run_body);
  forget_sizes(results, carried, inputs, unknown);
  const bool always_true = stays_true;
  // Only for top-level bodies: in nested ones the cost would multiply.
  if (body->depth() == 1) name_sizes(before, carried, inputs, run_body);
  const Dimension trips = trip_count(context, always_true).or_because(unknown);
  // If the body runs at least once, its results are more precise than the join with the initial
  // values.
  std::vector<InferredValue>& last = is_at_least(trips, 1) ? results : carried;
  for (std::size_t i = 0; i < carried.size(); ++i)
    context.set_output(static_cast<std::int64_t>(i), std::move(last[i]));
  for (std::size_t i = carried.size(); i < results.size(); ++i) {
    ValueType type = results[i].type;
    if (type.shape) type.shape->insert(type.shape->begin(), trips);
    context.set_output(static_cast<std::int64_t>(i), {std::move(type), std::nullopt});
  }
}

}  // namespace ortool
