// Versions of Reshape; version 1 has the shape as an attribute.
#include "libcore/ops/tensor/layout/reshape.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> reshape_inputs = {{"data", "T"},
                                                          {"shape", "tensor(int64)"}};

constexpr std::initializer_list<AttributeSpec> reshape_attributes = {
    {"allowzero", AttributeKind::integer, false, 0}};

[[noreturn]] void throw_misfit(const PartialShape& from, const PartialShape& to) {
  throw Error(ErrorCode::invalid, format("a tensor of shape {} cannot be reshaped to {}",
                                         to_string(from), to_string(to)));
}

void check_elements(const Dimensions& from, const Dimensions& to) {
  const Dimension before = multiply_dimensions(from);
  const Dimension after = multiply_dimensions(to);
  if (before.is_known() && after.is_known() && before != after) throw_misfit(from, to);
}

/// The dimension of `to` at index `missing` that makes the element counts of `from` and `to` equal.
/// Copied dimensions occur on both sides and cancel.
Dimension remaining_dimension(const Dimensions& from, const Dimensions& to, std::size_t missing,
                              const std::vector<bool>& is_copied) {
  Dimension number(1);
  Dimension divisor(1);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool cancels = i < to.size() && is_copied[i] && !from[i].is_known();
    if (!cancels) number = number * from[i];
  }
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool cancels = is_copied[i] && !to[i].is_known();
    if (i != missing && !cancels) divisor = divisor * to[i];
  }
  if (!divisor.is_known() || !number.is_known()) {
    // A divisor of 0 leaves the remaining dimension undetermined.
    return divisor == Dimension(0) ? Dimension() : floor_divide(number, divisor);
  }
  if (divisor.number() == 0) {
    if (number.number() != 0) throw_misfit(from, to);
    return 0;
  }
  if (number.number() % divisor.number() != 0) throw_misfit(from, to);
  return number.number() / divisor.number();
}

/// The output shape for the operator's shape values: 0 copies, -1 (at most one) is inferred, and so
/// is a single unknown value.
Dimensions reshape(const PartialShape& from, const Dimensions& values, bool zero_is_zero) {
  Dimensions to = values;
  std::vector<bool> is_copied(values.size());
  std::optional<std::size_t> missing;
  std::int64_t unknown_count = 0;
  bool has_zero = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_formula()) continue;
    if (values[i].is_unknown()) {
      ++unknown_count;
      if (!missing) missing = i;
      continue;
    }
    const std::int64_t number = values[i].number();
    has_zero = has_zero || number == 0;
    if (number == -1) {
      const bool is_second = missing && values[*missing].is_known();
      if (!is_second) {
        missing = i;
        ++unknown_count;
        to[i] = Dimension();
        continue;
      }
    }
    if (number < 0) {
      throw Error(ErrorCode::invalid,
                  format("the new shape contains {} at {} (expected sizes, 0, and -1 at most once)",
                         number, i));
    }
    if (number != 0 || zero_is_zero) continue;
    if (from && i >= from->size()) {
      throw Error(
          ErrorCode::invalid,
          format("the new shape contains 0 at {}, but the input has rank {}", i, from->size()));
    }
    to[i] = from ? (*from)[i] : Dimension();
    is_copied[i] = from.has_value();
  }
  if (missing && values[*missing].is_known() && zero_is_zero && has_zero) {
    throw Error(ErrorCode::invalid,
                "the new shape contains both 0 and -1, which allowzero forbids");
  }
  if (from && missing && unknown_count == 1)
    to[*missing] = remaining_dimension(*from, to, *missing, is_copied);
  if (from) check_elements(*from, to);
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
  const std::optional<Dimensions> values = known_elements(context, shape);
  PartialShape to;
  if (values) to = reshape(context.shape(0), *values, zero_is_zero);
  context.set_output(0, context.element(0), std::move(to));
  keep_elements(context);
}

}  // namespace ortool
