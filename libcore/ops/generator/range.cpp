// Versions of Range; 27 added 16-bit floats and the accumulation type.
#include "libcore/ops/generator/range.hpp"

#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> range_inputs = {
    {"start", "T"}, {"limit", "T"}, {"delta", "T"}};

void check_one_element(const Tensor& tensor) {
  if (tensor.element_count() == 1) return;
  throw Error(ErrorCode::invalid,
              format("an input has {} elements (expected 1)", tensor.element_count()));
}

template <typename T>
T range_scalar(const Tensor& tensor) {
  check_one_element(tensor);
  return tensor.aligned().data<T>()[0];
}

std::int64_t checked_count(double count) {
  constexpr double most = 8796093022208.0;  // 2^43
  if (std::isnan(count) || count > most) {
    throw Error(ErrorCode::invalid,
                format("the range would have {} numbers (at most 2^43)", count));
  }
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

[[noreturn]] void throw_zero_step() {
  throw Error(ErrorCode::invalid, "the step is 0 (expected another number)");
}

double floating_scalar(const Tensor& tensor) {
  check_one_element(tensor);
  return element_as_double(tensor, 0);
}

std::int64_t count_floating(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  const double first = floating_scalar(start);
  const double last = floating_scalar(limit);
  const double step = floating_scalar(delta);
  if (step == 0) throw_zero_step();
  return checked_count(std::ceil((last - first) / step));
}

template <typename Integer>
std::int64_t count_integers(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  const std::int64_t first = range_scalar<Integer>(start);
  const std::int64_t last = range_scalar<Integer>(limit);
  const std::int64_t step = range_scalar<Integer>(delta);
  if (step == 0) throw_zero_step();
  if (step > 0 ? first >= last : first <= last) return 0;
  // The distance of two signed numbers always fits into an unsigned one.
  const auto low = static_cast<std::uint64_t>(step > 0 ? first : last);
  const auto high = static_cast<std::uint64_t>(step > 0 ? last : first);
  const std::uint64_t stride =
      step > 0 ? static_cast<std::uint64_t>(step) : 0U - static_cast<std::uint64_t>(step);
  const std::uint64_t count = (high - low - 1) / stride + 1;
  static_cast<void>(checked_count(static_cast<double>(count)));
  return static_cast<std::int64_t>(count);
}

/// An operand; unknown when its single element is unknown.
KnownElement range_operand(const InferContext& context, std::int64_t input) {
  const std::optional<KnownTensor> known = known_input(context, input);
  return known && known->elements.size() == 1 ? known->elements[0] : KnownElement();
}

/// range_count as a formula; unknown when the sign of the step is unknown.
Dimension range_length(const KnownElement& first, const KnownElement& last,
                       const KnownElement& step) {
  if (!step.is_number()) return step.is_unknown() ? step.numerator : Dimension();
  if (step.numerator.number() == 0) throw_zero_step();
  if (first.denominator == 1 && last.denominator == 1 && step.denominator == 1)
    return max(ceil_divide(last.numerator - first.numerator, step.numerator), 0);
  const KnownElement distance = combine(ElementOp::subtract, last, first, DataType::float64);
  const KnownElement quotient = combine(ElementOp::divide, distance, step, DataType::float64);
  return max(round(Rounding::ceil, quotient).numerator, 0);
}

}  // namespace

constinit const OpSchema Range::schema = {
    "Range",
    "",
    {{.since = 11,
      .inputs = range_inputs,
      .outputs = {{"output", "T"}},
      .types = {{"T", types::indices |
                          types_of({DataType::float32, DataType::float64, DataType::int16})}}},
     {.since = 27,
      .inputs = range_inputs,
      .outputs = {{"output", "T"}},
      .attributes = {{"stash_type", AttributeKind::integer, false, 1}},
      .types = {{"T", types::floats | types::indices | types_of({DataType::int16})}}}}};

std::int64_t range_count(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  if (start.type() != limit.type() || start.type() != delta.type()) {
    throw Error(ErrorCode::invalid, "start, limit and delta differ in type");
  }
  switch (start.type()) {
    case DataType::float16:
    case DataType::bfloat16:
    case DataType::float32:
    case DataType::float64:
      return count_floating(start, limit, delta);
    case DataType::int16:
      return count_integers<std::int16_t>(start, limit, delta);
    case DataType::int32:
      return count_integers<std::int32_t>(start, limit, delta);
    case DataType::int64:
      return count_integers<std::int64_t>(start, limit, delta);
    default:
      throw Error(ErrorCode::unsupported,
                  format("a range of {} is not supported", name_of(start.type())));
  }
}

void Range::read(AttributeReader& attributes, int) {
  attributes.ignore("stash_type");
}

void Range::infer(InferContext& context) const {
  const DataType element = common_element(context, 0, 3);
  check_single(context, 0, "start");
  check_single(context, 1, "limit");
  check_single(context, 2, "delta");
  const Tensor* start = context.input_value(0);
  const Tensor* limit = context.input_value(1);
  const Tensor* delta = context.input_value(2);
  const KnownElement first = range_operand(context, 0);
  const KnownElement step = range_operand(context, 2);
  const Dimension count = start != nullptr && limit != nullptr && delta != nullptr
                              ? Dimension(range_count(*start, *limit, *delta))
                              : range_length(first, range_operand(context, 1), step);
  context.set_output(0, element, Dimensions{count});
  if (!count.is_known() || count.number() > max_known_elements) return;
  if (first.is_unknown() || step.is_unknown()) return;
  KnownElements elements;
  for (std::int64_t i = 0; i < count.number(); ++i) {
    elements.push_back(combine(ElementOp::add, first,
                               combine(ElementOp::multiply, step, Dimension(i), element), element));
  }
  set_known_output(context, 0, element, std::move(elements));
}

}  // namespace ortool
