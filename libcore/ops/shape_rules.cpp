// Shape arithmetic: broadcasting, merging, adding and multiplying dimensions as far as known.
#include "libcore/ops/shape_rules.hpp"

#include <algorithm>
#include <limits>

#include "libcore/base/format.hpp"
#include "libcore/ops/attribute_reader.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 43;
constexpr std::int64_t max_number = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void throw_unlike(std::string_view what, const PartialShape& a,
                               const PartialShape& b) {
  throw Error(ErrorCode::invalid,
              format("the shapes {} and {} {}", to_string(a), to_string(b), what));
}

bool are_different_numbers(const Dimension& a, const Dimension& b) {
  return a.is_known() && b.is_known() && a.number() != b.number();
}

}  // namespace

Dimension broadcast_dimensions(const Dimension& a, const Dimension& b) {
  if (a.is_known() && b.is_known()) {
    if (a.number() == b.number() || b.number() == 1) return a;
    if (a.number() == 1) return b;
    throw Error(ErrorCode::invalid,
                format("the dimensions {} and {} cannot be broadcast", a.number(), b.number()));
  }
  return broadcast(a, b);
}

PartialShape broadcast_shapes(const PartialShape& a, const PartialShape& b) {
  if (!a || !b) return std::nullopt;
  const Dimensions& longer = a->size() >= b->size() ? *a : *b;
  const Dimensions& shorter = a->size() >= b->size() ? *b : *a;
  Dimensions result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const Dimension& mine = longer[offset + i];
    if (are_different_numbers(mine, shorter[i]) && mine.number() != 1 && shorter[i].number() != 1)
      throw_unlike("cannot be broadcast to one another", a, b);
    result[offset + i] = broadcast_dimensions(mine, shorter[i]);
  }
  return result;
}

PartialShape broadcast_inputs(const InferContext& context, std::int64_t first, std::int64_t last) {
  PartialShape result = context.shape(first);
  for (std::int64_t i = first + 1; i < last; ++i)
    result = broadcast_shapes(result, context.shape(i));
  return result;
}

Dimension merge_dimensions(const Dimension& a, const Dimension& b) {
  if (are_different_numbers(a, b)) {
    throw Error(ErrorCode::invalid,
                format("the dimensions {} and {} must be the same", a.number(), b.number()));
  }
  if (a.is_known()) return a;
  if (b.is_known() || a.is_unknown()) return b.is_unknown() ? a.or_because(b) : b;
  return a;
}

PartialShape merge_shapes(const PartialShape& a, const PartialShape& b) {
  if (!a) return b;
  if (!b) return a;
  if (a->size() != b->size()) throw_unlike("must be the same", a, b);
  Dimensions result;
  for (std::size_t i = 0; i < a->size(); ++i) {
    if (are_different_numbers((*a)[i], (*b)[i])) throw_unlike("must be the same", a, b);
    result.push_back(merge_dimensions((*a)[i], (*b)[i]));
  }
  return result;
}

DataType common_element(const InferContext& context, std::int64_t first, std::int64_t last) {
  DataType common = DataType::undefined;
  for (std::int64_t i = first; i < last; ++i) {
    const DataType element = context.element(i);
    if (element == DataType::undefined) continue;
    if (common == DataType::undefined) common = element;
    if (common == element) continue;
    throw Error(ErrorCode::invalid,
                format("input {} is {}, but another is {} (expected the same type)", i,
                       name_of(element), name_of(common)))
        .with_id("node.type");
  }
  return common;
}

std::vector<std::int64_t> normalize_axes(std::span<const std::int64_t> axes, std::int64_t rank) {
  std::vector<std::int64_t> result;
  std::vector<bool> seen(static_cast<std::size_t>(rank));
  for (const std::int64_t axis : axes) {
    result.push_back(normalize_axis(axis, rank));
    const auto position = static_cast<std::size_t>(result.back());
    if (seen[position]) {
      throw Error(ErrorCode::invalid, format("axis {} is given twice (rank {})", axis, rank));
    }
    seen[position] = true;
  }
  return result;
}

Dimension combine_dimensions(DimensionOp op, const Dimension& a, const Dimension& b) {
  switch (op) {
    case DimensionOp::add:
      return a + b;
    case DimensionOp::subtract:
      return a - b;
    case DimensionOp::multiply:
      return a * b;
    case DimensionOp::divide:
      return truncating_divide(a, b);
    case DimensionOp::minimum:
      return min(a, b);
    case DimensionOp::maximum:
      return max(a, b);
  }
  return {};
}

Dimension multiply_dimensions(std::span<const Dimension> dimensions) {
  return product(dimensions);
}

Dimension multiply_dimensions(const Dimension& a, const Dimension& b) {
  return a.is_known() && b.is_known() ? Dimension(multiply_sizes(a.number(), b.number())) : a * b;
}

Dimension dimension_of(std::int64_t number) {
  return number >= 0 ? Dimension(number) : Dimension();
}

Dimensions dimensions_from(std::span<const std::int64_t> numbers) {
  Dimensions result;
  for (const std::int64_t number : numbers) result.push_back(std::max(number, -max_number));
  return result;
}

std::optional<Dimensions> integer_values(const InferContext& context, std::int64_t index) {
  const Tensor* value = context.input_value(index);
  if (value == nullptr) {
    std::optional<Dimensions> known = context.input_dimensions(index);
    if (known && static_cast<std::int64_t>(known->size()) > max_shape_values) return std::nullopt;
    return known;
  }
  const DataType type = value->type();
  if (type != DataType::int64 && type != DataType::int32) return std::nullopt;
  if (value->shape().rank() > 1 || value->element_count() > max_shape_values) return std::nullopt;
  return dimensions_from(integers_of(*value));
}

std::optional<Dimensions> shape_values(const InferContext& context, std::int64_t index) {
  std::optional<Dimensions> values = integer_values(context, index);
  if (!values) return std::nullopt;
  for (Dimension& value : *values) {
    if (value.is_known() && value.number() < 0) value = Dimension();
  }
  return values;
}

void set_shape_values(InferContext& context, DataType element, std::optional<Dimensions> values) {
  if (!values || (element != DataType::int64 && element != DataType::int32)) return;
  if (static_cast<std::int64_t>(values->size()) > max_shape_values || !context.has_output(0))
    return;
  context.set_output_dimensions(0, std::move(*values));
}

std::optional<std::vector<std::int64_t>> known_integers(
    const InferContext& context, const ValueOrInput<std::vector<std::int64_t>>& value) {
  if (value.input < 0) return value.value;
  return context.integers(value.input);
}

std::optional<Dimensions> known_elements(const InferContext& context,
                                         const ValueOrInput<std::vector<std::int64_t>>& value) {
  const std::optional<std::vector<std::int64_t>> numbers = known_integers(context, value);
  if (!numbers) return value.input < 0 ? std::nullopt : integer_values(context, value.input);
  return dimensions_from(*numbers);
}

std::int64_t add_sizes(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || sum > max_elements || sum < -max_elements) {
    throw Error(ErrorCode::invalid, format("the size {} + {} is too large", a, b));
  }
  return sum;
}

}  // namespace ortool
