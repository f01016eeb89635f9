// Versions of Scan; version 9 removed the batch dimension and added axes.
#include "libcore/ops/controlflow/scan.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/ops/controlflow/body_rules.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> scan_inputs_8 = {
    {"sequence_lens", "I", Formal::Count::optional},
    {"initial_state_and_scan_inputs", "V", Formal::Count::variadic, 1, false}};
constexpr std::initializer_list<Formal> scan_inputs_9 = {
    {"initial_state_and_scan_inputs", "V", Formal::Count::variadic, 1, false}};
constexpr std::initializer_list<Formal> scan_outputs = {
    {"final_state_and_scan_outputs", "V", Formal::Count::variadic, 1, false}};
constexpr std::initializer_list<AttributeSpec> scan_attributes_8 = {
    {"body", AttributeKind::graph, true},
    {"directions", AttributeKind::integers},
    {"num_scan_inputs", AttributeKind::integer, true}};
constexpr std::initializer_list<AttributeSpec> scan_attributes_9 = {
    {"body", AttributeKind::graph, true},
    {"num_scan_inputs", AttributeKind::integer, true},
    {"scan_input_axes", AttributeKind::integers},
    {"scan_input_directions", AttributeKind::integers},
    {"scan_output_axes", AttributeKind::integers},
    {"scan_output_directions", AttributeKind::integers}};

constexpr std::initializer_list<OpVersion> scan_versions = {
    {.since = 8,
     .inputs = scan_inputs_8,
     .outputs = scan_outputs,
     .attributes = scan_attributes_8,
     .types = {{"I", types::int64_only}, {"V", types::all_tensors}}},
    {.since = 9,
     .inputs = scan_inputs_9,
     .outputs = scan_outputs,
     .attributes = scan_attributes_9,
     .types = {{"V", types::all_tensors}}},
    {.since = 11,
     .inputs = scan_inputs_9,
     .outputs = scan_outputs,
     .attributes = scan_attributes_9,
     .types = {{"V", types::all_tensors}}},
    {.since = 16,
     .inputs = scan_inputs_9,
     .outputs = scan_outputs,
     .attributes = scan_attributes_9,
     .types = {{"V", types::all_tensors_and_bfloat16}}},
    {.since = 19,
     .inputs = scan_inputs_9,
     .outputs = scan_outputs,
     .attributes = scan_attributes_9,
     .types = {{"V", types::all_tensors_ir9}}},
    {.since = 21,
     .inputs = scan_inputs_9,
     .outputs = scan_outputs,
     .attributes = scan_attributes_9,
     .types = {{"V", types::all_tensors_ir10}}},
    {.since = 23,
     .inputs = scan_inputs_9,
     .outputs = scan_outputs,
     .attributes = scan_attributes_9,
     .types = {{"V", types::all_tensors_ir11}}},
    {.since = 24,
     .inputs = scan_inputs_9,
     .outputs = scan_outputs,
     .attributes = scan_attributes_9,
     .types = {{"V", types::all_tensors_ir12}}},
    {.since = 25,
     .inputs = scan_inputs_9,
     .outputs = scan_outputs,
     .attributes = scan_attributes_9,
     .types = {{"V", types::all_tensors_ir13}}}};

/// A list with `count` entries; zeros when the attribute is omitted.
std::vector<std::int64_t> read_list(AttributeReader& attributes, std::string_view name,
                                    std::int64_t count) {
  const std::optional<std::vector<std::int64_t>> given = attributes.find_integers(name);
  if (!given) return std::vector<std::int64_t>(static_cast<std::size_t>(count), 0);
  if (static_cast<std::int64_t>(given->size()) == count) return *given;
  throw Error(ErrorCode::invalid,
              format("attribute '{}' holds {} numbers (expected {})", name, given->size(), count));
}

void check_directions(const std::vector<std::int64_t>& directions) {
  for (const std::int64_t direction : directions) {
    if (direction == 0 || direction == 1) continue;
    throw Error(ErrorCode::invalid, format("a direction is {} (expected 0 or 1)", direction));
  }
}

/// Removes an axis from the type's shape and merges its size into `size`.
void take_axis(ValueType& type, std::int64_t axis, Dimension& size) {
  if (!type.shape) return;
  const std::int64_t along = normalize_axis(axis, static_cast<std::int64_t>(type.shape->size()));
  size = merge_dimensions(size, (*type.shape)[static_cast<std::size_t>(along)]);
  type.shape->erase(type.shape->begin() + along);
}

void put_axis(ValueType& type, std::int64_t axis, const Dimension& size) {
  if (!type.shape) return;
  const std::int64_t along =
      normalize_axis(axis, static_cast<std::int64_t>(type.shape->size()) + 1);
  type.shape->insert(type.shape->begin() + along, size);
}

}  // namespace

constinit const OpSchema Scan::schema = {"Scan", "", scan_versions};

void Scan::read(AttributeReader& attributes, int version) {
  is_batched = version == 8;
  body = attributes.graph("body");
  scan_inputs = attributes.integer("num_scan_inputs");
  const std::int64_t given = attributes.node().input_count() - (is_batched ? 1 : 0);
  if (scan_inputs < 1 || scan_inputs > given) {
    throw Error(ErrorCode::invalid,
                format("attribute 'num_scan_inputs' is {} (expected 1 to {})", scan_inputs, given));
  }
  const std::int64_t states = given - scan_inputs;
  const auto outputs = static_cast<std::int64_t>(body->outputs().size());
  check_body(*body, given, std::max(outputs, states));
  check_output_count(attributes.node(), outputs);
  const std::int64_t scanned = outputs - states;
  if (is_batched) {
    input_directions = read_list(attributes, "directions", scan_inputs);
  } else {
    input_axes = read_list(attributes, "scan_input_axes", scan_inputs);
    output_axes = read_list(attributes, "scan_output_axes", scanned);
    input_directions = read_list(attributes, "scan_input_directions", scan_inputs);
    output_directions = read_list(attributes, "scan_output_directions", scanned);
  }
  check_directions(input_directions);
  check_directions(output_directions);
}

void Scan::infer(InferContext& context) const {
  const std::int64_t first = is_batched ? 1 : 0;
  const std::int64_t states = context.input_count() - first - scan_inputs;
  Dimension batch;
  Dimension trips;
  std::vector<InferredValue> carried;
  std::vector<InferredValue> slices;
  for (std::int64_t i = 0; i < states + scan_inputs; ++i) {
    InferredValue value = context.input(first + i);
    if (i >= states) value.elements.reset();
    if (is_batched) take_axis(value.type, 0, batch);
    if (i < states) {
      if (is_batched) value.elements.reset();
      carried.push_back(std::move(value));
      continue;
    }
    take_axis(value.type, is_batched ? 0 : input_axes[static_cast<std::size_t>(i - states)], trips);
    slices.push_back(std::move(value));
  }
  std::vector<InferredValue> results = repeat_body(
      carried, context.unknown_dimension(), [&](const std::vector<InferredValue>& values) {
        std::vector<InferredValue> inputs = values;
        inputs.insert(inputs.end(), slices.begin(), slices.end());
        return context.infer_body(*body, std::move(inputs));
      });
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(results.size()); ++i) {
    const auto place = static_cast<std::size_t>(i);
    const bool is_state = i < states;
    InferredValue value = is_state ? std::move(carried[place]) : std::move(results[place]);
    if (!is_state) {
      value.elements.reset();
      put_axis(value.type, is_batched ? 0 : output_axes[static_cast<std::size_t>(i - states)],
               trips);
    }
    if (is_batched) put_axis(value.type, 0, batch);
    context.set_output(i, std::move(value));
  }
}

}  // namespace ortool
