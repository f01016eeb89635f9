// Step positions in arithmetic on lengths, for caches with and without a window.
#include "libcore/optimize/target/step_positions.hpp"

#include <limits>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/contrib/attention/group_query_attention.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"

namespace ortool {
namespace {

using Gqa = GroupQueryAttention;

/// An input with one element as a scalar of int64.
Value& scalar_input(Decomposition& out, std::int64_t input) {
  return cast_to(out, out.add("Reshape", {out.input(input), &out.integers({})}), DataType::int64);
}

/// How many of `tokens` positions a cache of a window keeps: all that fit, else as many rows as
/// there are more than the window, and one, become free at once.
Value& resident_rows(const PositionNodes& math, Decomposition& out, Value& tokens, Value& capacity,
                     std::int64_t window) {
  Value& step = math.difference(capacity, math.number(window - 1));
  Value& above = math.difference(tokens, capacity);
  Value& rounded = math.sum(above, math.difference(step, math.number(1)));
  Value& dropped = out.add("Mul", {&out.add("Div", {&rounded, &step}), &step});
  return math.choose(math.is_less(capacity, tokens), math.difference(tokens, dropped), tokens);
}

}  // namespace

Value& PositionNodes::number(std::int64_t value) const {
  return integer_scalar(out_, value);
}
Value& PositionNodes::sum(Value& a, Value& b) const {
  return out_.add("Add", {&a, &b});
}
Value& PositionNodes::difference(Value& a, Value& b) const {
  return out_.add("Sub", {&a, &b});
}
Value& PositionNodes::is_less(Value& a, Value& b) const {
  return out_.add("Less", {&a, &b});
}
Value& PositionNodes::choose(Value& condition, Value& then, Value& otherwise) const {
  return out_.add("Where", {&condition, &then, &otherwise});
}
Value& PositionNodes::smaller(Value& a, Value& b) const {
  return choose(is_less(a, b), a, b);
}
Value& PositionNodes::larger(Value& a, Value& b) const {
  return choose(is_less(a, b), b, a);
}

StepPositions positions_of_step(Decomposition& out) {
  const PositionNodes math(out);
  StepPositions step;
  step.length = &axis_size(out, *out.input(Gqa::query), 1);
  step.total = &scalar_input(out, Gqa::total_sequence_length);
  const std::int64_t column[] = {-1, 1};
  Value& last = cast_to(out, reshape(out, *out.input(Gqa::seqlens_k), column), DataType::int64);
  step.lengths = &math.sum(last, math.number(1));
  step.is_prompt = &out.add("Equal", {step.length, step.total});
  step.first =
      &math.choose(*step.is_prompt, math.number(0), math.difference(*step.lengths, *step.length));
  step.tokens = &math.sum(*step.first, range_to(out, *step.length));
  step.seen_from = &math.smaller(*step.tokens, last);
  return step;
}

Value& rotary_positions(Decomposition& out, const StepPositions& step) {
  Value* const given = out.input(Gqa::position_ids);
  if (given == nullptr) return *step.tokens;
  const std::int64_t flat[] = {-1};
  Value& first = slice_axis(out, reshape(out, *given, flat), 0, 0, 1);
  Value& counted = unsqueeze(out, out.add("Add", {&first, &range_to(out, *step.length)}), 0);
  const PartialShape shape = out.shape(Gqa::position_ids);
  const bool is_each = shape && shape->size() == 2 && !(shape->back() == Dimension(1));
  if (!is_each) return counted;
  return out.add("Where", {step.is_prompt, &counted, given});
}

CacheRows rows_of_cache(Decomposition& out, const StepPositions& step, Value* past) {
  const PositionNodes math(out);
  CacheRows rows;
  rows.past_rows = past != nullptr ? &axis_size(out, *past, 2) : &math.number(0);
  Value& present = past != nullptr ? math.larger(*rows.past_rows, *step.total) : *step.total;
  Value& row = range_to(out, present);
  Value& ahead = math.difference(row, *step.first);
  Value& zeros = math.sum(*rows.past_rows, *step.length);
  Value& fresh =
      math.choose(math.is_less(ahead, *step.length), math.sum(ahead, *rows.past_rows), zeros);
  Value& before = past != nullptr ? row : zeros;
  rows.kept = &math.choose(math.is_less(ahead, math.number(0)), before, fresh);
  return rows;
}

CacheRows rows_of_window(Decomposition& out, const StepPositions& step, Value& past,
                         std::int64_t window) {
  const PositionNodes math(out);
  CacheRows rows;
  rows.past_rows = &axis_size(out, past, 2);
  Value& capacity = *rows.past_rows;
  Value& past_tokens = math.difference(*step.lengths, *step.length);
  Value& resident = resident_rows(math, out, past_tokens, capacity, window);
  Value& oldest = math.difference(past_tokens, resident);
  Value& zeros = math.sum(capacity, *step.length);
  // Hidden from every token.
  Value& nowhere = math.number(std::numeric_limits<std::int32_t>::max());
  Value& place = range_to(out, math.sum(zeros, math.number(1)));
  Value& of_past = math.choose(math.is_less(place, resident), math.sum(oldest, place), nowhere);
  Value& ahead = math.difference(place, capacity);
  Value& of_new =
      math.choose(math.is_less(ahead, *step.length), math.sum(past_tokens, ahead), nowhere);
  rows.positions = &math.choose(math.is_less(place, capacity), of_past, of_new);

  Value& kept = resident_rows(math, out, *step.lengths, capacity, window);
  Value& row = range_to(out, capacity);
  Value& position = math.sum(math.difference(*step.lengths, kept), row);
  Value& from_past = math.difference(position, oldest);
  Value& from_new = math.sum(capacity, math.difference(position, past_tokens));
  Value& source = math.choose(math.is_less(position, past_tokens), from_past, from_new);
  rows.kept = &math.choose(math.is_less(row, kept), source, zeros);
  return rows;
}

}  // namespace ortool
