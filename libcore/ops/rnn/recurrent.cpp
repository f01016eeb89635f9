// Attributes and operand shapes of recurrent layers.
#include "libcore/ops/rnn/recurrent.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_hidden = std::int64_t{1} << 31;

RecurrentLayer::Direction read_direction(AttributeReader& attributes) {
  using Direction = RecurrentLayer::Direction;
  // ONNX misspells the default of GRU's first version.
  if (attributes.string("direction") == "foward") return Direction::forward;
  return attributes.choice("direction", {"forward", "reverse", "bidirectional"},
                           Direction::forward);
}

/// The hidden size, from the rows of W or R, which hold `gates` gates.
Dimension hidden_from_rows(const Dimension& rows, std::int64_t gates, std::string_view name) {
  if (rows.is_known() && rows.number() % gates != 0) {
    throw Error(ErrorCode::invalid, format("'{}' has {} rows (expected a multiple of the {} gates)",
                                           name, rows.number(), gates));
  }
  return floor_divide(rows, gates);
}

}  // namespace

void RecurrentLayer::read_layer(AttributeReader& attributes,
                                std::span<const RecurrentActivation::Function> defaults) {
  direction = read_direction(attributes);
  hidden_size = attributes.find_integer("hidden_size");
  if (hidden_size && (*hidden_size < 1 || *hidden_size > max_hidden)) {
    throw Error(ErrorCode::invalid, format("hidden_size is {} (expected 1 to 2^31)", *hidden_size));
  }
  clip = attributes.find_number("clip");
  if (clip && !(*clip >= 0.0F)) {
    throw Error(ErrorCode::invalid, format("clip is {} (expected 0 or more)", *clip));
  }
  batch_first = attributes.flag("layout");
  static_cast<void>(attributes.flag("output_sequence"));
  activations = read_activations(attributes, defaults, directions());
}

RecurrentLayer::Sizes RecurrentLayer::check_operands(const InferContext& context,
                                                     std::int64_t gates, bool is_transposed,
                                                     const Dimension& more) const {
  const std::int64_t rows_axis = is_transposed ? 2 : 1;
  const std::int64_t depth_axis = is_transposed ? 1 : 2;
  check_rank(context, 0, "X", 3);
  check_rank(context, 1, "W", 3);
  check_rank(context, 2, "R", 3);
  Sizes sizes;
  sizes.sequence = dimension_at(context, 0, batch_first ? 1 : 0);
  sizes.batch =
      merge_dimensions(dimension_at(context, 0, batch_first ? 0 : 1), dimension_at(context, 4, 0));
  if (hidden_size) sizes.hidden = *hidden_size;
  for (const Dimension& found :
       {dimension_at(context, 2, depth_axis),
        hidden_from_rows(dimension_at(context, 1, rows_axis), gates, "W"),
        hidden_from_rows(dimension_at(context, 2, rows_axis), gates, "R")}) {
    check_dimension("the hidden size of the weights", found, sizes.hidden);
    sizes.hidden = merge_dimensions(sizes.hidden, found);
  }
  const Dimension rows = weight_rows(sizes, gates);
  const auto weights = [&](const Dimension& depth) {
    return is_transposed ? Dimensions{directions(), depth, rows}
                         : Dimensions{directions(), rows, depth};
  };
  check_operand_shape(context, 1, "W", weights(dimension_at(context, 0, 2) + more));
  check_operand_shape(context, 2, "R", weights(sizes.hidden));
  check_operand_shape(context, 3, "B", {directions(), weight_rows(sizes, 2 * gates)});
  check_operand_shape(context, 4, "sequence_lens", {sizes.batch});
  check_operand_shape(context, 5, "initial_h", state_shape(sizes));
  return sizes;
}

Dimension RecurrentLayer::weight_rows(const Sizes& sizes, std::int64_t gates) {
  return sizes.hidden * gates;
}

Dimensions RecurrentLayer::state_shape(const Sizes& sizes) const {
  if (batch_first) return {sizes.batch, directions(), sizes.hidden};
  return {directions(), sizes.batch, sizes.hidden};
}

void RecurrentLayer::set_outputs(InferContext& context, const Sizes& sizes) const {
  context.set_output(0, context.element(0),
                     batch_first
                         ? Dimensions{sizes.batch, sizes.sequence, directions(), sizes.hidden}
                         : Dimensions{sizes.sequence, directions(), sizes.batch, sizes.hidden});
  context.set_output(1, context.element(0), state_shape(sizes));
}

void check_operand_shape(const InferContext& context, std::int64_t input, std::string_view name,
                         const Dimensions& expected) {
  const PartialShape shape = context.shape(input);
  if (!shape) return;
  bool fits = shape->size() == expected.size();
  for (std::size_t i = 0; fits && i < expected.size(); ++i) {
    const Dimension& found = (*shape)[i];
    fits = !found.is_known() || !expected[i].is_known() || found == expected[i];
  }
  if (fits) return;
  throw Error(ErrorCode::invalid, format("'{}' has the shape {} (expected {})", name,
                                         to_string(shape), to_string(expected)));
}

}  // namespace ortool
