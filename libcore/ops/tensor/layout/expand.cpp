// Versions of Expand; its shape operand and the input's shape broadcast to each other.
#include "libcore/ops/tensor/layout/expand.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> expand_inputs = {{"input", "T"},
                                                         {"shape", "tensor(int64)"}};

}  // namespace

constinit const OpSchema Expand::schema = {"Expand",
                                           "",
                                           {{.since = 8,
                                             .inputs = expand_inputs,
                                             .outputs = {{"output", "T"}},
                                             .types = {{"T", types::all_tensors}}},
                                            {.since = 13,
                                             .inputs = expand_inputs,
                                             .outputs = {{"output", "T"}},
                                             .types = {{"T", types::all_tensors_and_bfloat16}}}}};

void Expand::read(AttributeReader& attributes, int) {
  shape = attributes.integers_or_input("shape", 1);
}

void Expand::infer(InferContext& context) const {
  const std::optional<Dimensions> wanted = known_elements(context, shape);
  if (wanted && wanted->size() > static_cast<std::size_t>(Shape::max_dimensions)) {
    throw Error(ErrorCode::invalid, format("the output would have rank {} (at most {})",
                                           wanted->size(), Shape::max_dimensions));
  }
  for (std::size_t i = 0; wanted && i < wanted->size(); ++i) {
    if (!(*wanted)[i].is_known() || (*wanted)[i].number() >= 0) continue;
    throw Error(
        ErrorCode::invalid,
        format("the shape to expand to contains {} (expected 0 or more)", (*wanted)[i].number()));
  }
  PartialShape result = broadcast_shapes(context.shape(0), wanted);
  if (result && wanted) {
    // An unknown size may turn out to be incompatible, so the input alone determines nothing.
    const std::size_t offset = result->size() - wanted->size();
    for (std::size_t i = 0; i < wanted->size(); ++i) {
      if ((*wanted)[i].is_unknown()) (*result)[offset + i] = (*wanted)[i];
    }
  }
  context.set_output(0, context.element(0), result);
  const std::optional<KnownTensor> known = known_input(context, 0);
  const std::optional<Shape> target = known ? to_known(result) : std::nullopt;
  if (target && are_few(*target))
    pick_elements(context, broadcast_positions(known->shape, *target));
}

}  // namespace ortool
