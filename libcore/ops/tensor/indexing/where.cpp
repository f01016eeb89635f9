// Versions of Where; all three inputs are broadcast.
#include "libcore/ops/tensor/indexing/where.hpp"

#include <algorithm>

#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> where_inputs = {{"condition", "B"}, {"X", "T"}, {"Y", "T"}};

/// The element selected by a known condition, or the one that both sides agree on.
KnownElement choose(const KnownElement& condition, const KnownElement& x, const KnownElement& y) {
  if (condition.is_number()) return condition.numerator.number() != 0 ? x : y;
  if (!x.is_unknown() && x == y) return x;
  return condition.is_unknown() ? condition.numerator : Dimension();
}

std::optional<KnownElements> where_elements(const InferContext& context) {
  const std::optional<KnownTensor> x = known_input(context, 1);
  const std::optional<KnownTensor> y = x ? known_input(context, 2) : std::nullopt;
  const std::optional<Shape> shape = y ? to_known(broadcast_inputs(context, 0, 3)) : std::nullopt;
  if (!shape || !are_few(*shape)) return std::nullopt;
  std::optional<KnownTensor> condition = known_input(context, 0);
  if (!condition) condition = KnownTensor{{}, KnownElements(1)};
  const std::vector<std::int64_t> conditions = broadcast_positions(condition->shape, *shape);
  const std::vector<std::int64_t> xs = broadcast_positions(x->shape, *shape);
  const std::vector<std::int64_t> ys = broadcast_positions(y->shape, *shape);
  KnownElements elements;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    elements.push_back(choose(condition->elements[static_cast<std::size_t>(conditions[i])],
                              x->elements[static_cast<std::size_t>(xs[i])],
                              y->elements[static_cast<std::size_t>(ys[i])]));
  }
  return elements;
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
  set_known_output(context, 0, element, where_elements(context));
}

}  // namespace ortool
