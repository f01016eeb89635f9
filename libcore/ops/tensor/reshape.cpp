// Reshape in its versions; the shape was an attribute at first.
#include "libcore/ops/tensor/reshape.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> reshape_inputs = {{"data", "T"},
                                                          {"shape", "tensor(int64)"}};

constexpr std::initializer_list<AttributeSpec> reshape_attributes = {
    {"allowzero", AttributeKind::integer, false, 0}};

[[noreturn]] void throw_misfit(const PartialShape& from, const PartialShape& to) {
  throw Error(ErrorCode::invalid, format("a tensor of shape {} cannot take the shape {}",
                                         to_string(from), to_string(to)));
}

/// The one dimension of `to` at `missing` that makes its elements as many as those of `from`;
/// symbols on both sides cancel. Unknown when that cannot be said.
Dimension remaining_dimension(const Dimensions& from, const Dimensions& to, std::size_t missing) {
  Dimensions left = from;
  std::int64_t divisor = 1;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (i == missing) continue;
    if (to[i].is_known()) {
      divisor = multiply_sizes(divisor, to[i].number());
      continue;
    }
    const auto same = std::find(left.begin(), left.end(), to[i]);
    if (to[i].is_unknown() || same == left.end()) return {};
    left.erase(same);
  }
  std::int64_t number = 1;
  Dimension rest(1);
  for (const Dimension& dimension : left) {
    if (dimension.is_known()) {
      number = multiply_sizes(number, dimension.number());
    } else {
      rest = combine_dimensions(DimensionOp::multiply, rest, dimension);
    }
  }
  if (divisor == 0) {
    if (rest.is_known() && number != 0) throw_misfit(from, to);
    // Any number would do; nothing is left to share out.
    return rest.is_known() ? Dimension(0) : Dimension();
  }
  if (!rest.is_known()) return number == divisor ? rest : Dimension();
  if (number % divisor != 0) throw_misfit(from, to);
  return number / divisor;
}

void check_elements(const Dimensions& from, const Dimensions& to) {
  const Dimension before = multiply_dimensions(from);
  const Dimension after = multiply_dimensions(to);
  if (before.is_known() && after.is_known() && before != after) throw_misfit(from, to);
}

/// Numbers as the operator reads them: 0 copies, -1 (at most one) is what remains.
Dimensions reshape_by_numbers(const PartialShape& from, const std::vector<std::int64_t>& numbers,
                              bool zero_is_zero) {
  Dimensions to;
  std::optional<std::size_t> missing;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t number = numbers[i];
    if (number < -1 || (number == -1 && missing)) {
      throw Error(
          ErrorCode::invalid,
          format("the new shape holds {} at {} (expected sizes, 0, and -1 once)", number, i));
    }
    if (number == -1) missing = i;
    if (number != 0 || zero_is_zero) {
      to.push_back(dimension_of(number));
      continue;
    }
    if (from && i >= from->size()) {
      throw Error(
          ErrorCode::invalid,
          format("the new shape holds 0 at {}, but the input has rank {}", i, from->size()));
    }
    to.push_back(from ? (*from)[i] : Dimension());
  }
  const bool has_zero = std::find(numbers.begin(), numbers.end(), 0) != numbers.end();
  if (missing && zero_is_zero && has_zero) {
    throw Error(ErrorCode::invalid, "the new shape holds both 0 and -1, which allowzero forbids");
  }
  if (from && missing) to[*missing] = remaining_dimension(*from, to, *missing);
  if (from) check_elements(*from, to);
  return to;
}

/// Values known in part: an unknown one is what remains, when it is the only one.
Dimensions reshape_by_values(const PartialShape& from, Dimensions to, bool zero_is_zero) {
  std::size_t unknown_count = 0;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!zero_is_zero && to[i].is_known() && to[i].number() == 0)
      to[i] = from && i < from->size() ? (*from)[i] : Dimension();
    if (!to[i].is_unknown()) continue;
    ++unknown_count;
    missing = i;
  }
  if (from && unknown_count == 1) to[missing] = remaining_dimension(*from, to, missing);
  return to;
}

}  // namespace

constinit const OpSchema Reshape::schema = {
    "Reshape",
    "",
    {{.since = 1,
      .inputs = {{"data", "T"}},
      .outputs = {{"reshaped", "T"}},
      .attributes = {{"consumed_inputs", AttributeKind::integers},
                     {"shape", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}},
     {.since = 5,
      .inputs = reshape_inputs,
      .outputs = {{"reshaped", "T"}},
      .types = {{"T", types::all_tensors}}},
     {.since = 13,
      .inputs = reshape_inputs,
      .outputs = {{"reshaped", "T"}},
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 14,
      .inputs = reshape_inputs,
      .outputs = {{"reshaped", "T"}},
      .attributes = reshape_attributes,
      .types = {{"T", types::all_tensors_and_bfloat16}}},
     {.since = 19,
      .inputs = reshape_inputs,
      .outputs = {{"reshaped", "T"}},
      .attributes = reshape_attributes,
      .types = {{"T", types::all_tensors_ir9}}},
     {.since = 21,
      .inputs = reshape_inputs,
      .outputs = {{"reshaped", "T"}},
      .attributes = reshape_attributes,
      .types = {{"T", types::all_tensors_ir10}}},
     {.since = 23,
      .inputs = reshape_inputs,
      .outputs = {{"reshaped", "T"}},
      .attributes = reshape_attributes,
      .types = {{"T", types::all_tensors_ir11}}},
     {.since = 24,
      .inputs = reshape_inputs,
      .outputs = {{"reshaped", "T"}},
      .attributes = reshape_attributes,
      .types = {{"T", types::all_tensors_ir12}}},
     {.since = 25,
      .inputs = reshape_inputs,
      .outputs = {{"reshaped", "T"}},
      .attributes = reshape_attributes,
      .types = {{"T", types::all_tensors_ir13}}}}};

void Reshape::read(AttributeReader& attributes, int) {
  attributes.ignore("consumed_inputs");
  zero_is_zero = attributes.flag("allowzero");
  shape = attributes.integers_or_input("shape", 1);
  if (!shape.is_given()) {
    throw Error(ErrorCode::invalid, "attribute 'shape' is missing, but is required");
  }
}

void Reshape::infer(InferContext& context) const {
  const PartialShape from = context.shape(0);
  PartialShape to;
  if (const std::optional<std::vector<std::int64_t>> numbers = known_integers(context, shape)) {
    to = reshape_by_numbers(from, *numbers, zero_is_zero);
  } else if (std::optional<Dimensions> values = shape_values(context, shape.input)) {
    to = reshape_by_values(from, std::move(*values), zero_is_zero);
  }
  const bool stays_short = to && to->size() <= 1;
  context.set_output(0, context.element(0), std::move(to));
  if (stays_short) set_shape_values(context, context.element(0), shape_values(context, 0));
}

}  // namespace ortool
