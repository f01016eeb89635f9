// The versions of Where; all three inputs broadcast.
#include "libcore/ops/tensor/where.hpp"

#include <algorithm>

#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> where_inputs = {{"condition", "B"}, {"X", "T"}, {"Y", "T"}};

/// The values of the output when X and Y are shapes: what both agree on, or what a known condition
/// picks.
std::optional<Dimensions> where_values(const InferContext& context) {
  const std::optional<Dimensions> x = shape_values(context, 1);
  const std::optional<Dimensions> y = shape_values(context, 2);
  const std::optional<Shape> shape = to_known(broadcast_inputs(context, 0, 3));
  if (!x || !y || x->empty() || y->empty() || !shape || shape->rank() > 1) return std::nullopt;
  const std::int64_t count = shape->element_count();
  if (count > most_shape_values) return std::nullopt;
  const Tensor* condition = context.input_value(0);
  const std::span<const bool> picks =
      condition != nullptr ? condition->data<bool>() : std::span<const bool>();
  Dimensions values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const Dimension& mine = (*x)[x->size() == 1 ? 0 : i];
    const Dimension& other = (*y)[y->size() == 1 ? 0 : i];
    if (!picks.empty()) {
      values.push_back(picks[picks.size() == 1 ? 0 : i] ? mine : other);
    } else {
      values.push_back(mine == other ? mine : Dimension());
    }
  }
  return values;
}

}  // namespace

constinit const OpSchema Where::schema = {
    "Where",
    "",
    {{.since = 9,
      .inputs = where_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"B", types::boolean_only}, {"T", types::all_tensors}}},
     {.since = 16,
      .inputs = where_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"B", types::boolean_only}, {"T", types::all_tensors_and_bfloat16}}}}};

void Where::read(AttributeReader&, int) {}

void Where::infer(InferContext& context) const {
  const DataType element = common_element(context, 1, 3);
  context.set_output(0, element, broadcast_inputs(context, 0, 3));
  set_shape_values(context, element, where_values(context));
}

}  // namespace ortool
