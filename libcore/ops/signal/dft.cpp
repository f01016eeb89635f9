// Versions of DFT; 20 made the axis an input and allows negative axes.
#include "libcore/ops/signal/dft.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/signal/scalar_size.hpp"

namespace ortool {

constinit const OpSchema DFT::schema = {
    "DFT",
    "",
    {{.since = 17,
      .inputs = {{"input", "T1"}, {"dft_length", "T2", Formal::Count::optional}},
      .outputs = {{"output", "T1"}},
      .attributes = {{"axis", AttributeKind::integer, false, 1},
                     {"inverse", AttributeKind::integer, false, 0},
                     {"onesided", AttributeKind::integer, false, 0}},
      .types = {{"T1", types::floats}, {"T2", types::indices}}},
     {.since = 20,
      .inputs = {{"input", "T1"},
                 {"dft_length", "T2", Formal::Count::optional},
                 {"axis", "tensor(int64)", Formal::Count::optional}},
      .outputs = {{"output", "T1"}},
      .attributes = {{"inverse", AttributeKind::integer, false, 0},
                     {"onesided", AttributeKind::integer, false, 0}},
      .types = {{"T1", types::floats}, {"T2", types::indices}}}}};

namespace {

std::optional<std::int64_t> known_axis(const InferContext& context,
                                       const ValueOrInput<std::int64_t>& axis) {
  if (axis.input < 0) return axis.value;
  check_single(context, axis.input, "axis");
  const auto values = context.integers(axis.input);
  return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

/// The axis as a nonnegative index; the last axis holds real and imaginary parts.
std::size_t signal_axis(std::int64_t axis, std::int64_t rank) {
  if (axis >= -rank && axis <= rank - 2 && axis != -1)
    return static_cast<std::size_t>(normalize_axis(axis, rank));
  throw Error(ErrorCode::invalid,
              format("axis {} is outside a signal of rank {} (expected {}..-2 or 0..{})", axis,
                     rank, -rank, rank - 2));
}

void check_parts(const Dimension& parts, bool onesided, bool inverse) {
  if (!parts.is_known()) return;
  const std::int64_t wanted = inverse ? 2 : 1;
  if (onesided ? parts.number() == wanted : parts.number() == 1 || parts.number() == 2) return;
  throw Error(ErrorCode::invalid,
              format("the last dimension of 'input' is {} (expected {})", parts.number(),
                     !onesided ? "1 or 2"
                     : inverse ? "2, a one-sided spectrum"
                               : "1, real numbers for a one-sided transform"));
}

/// The transform length when no input gives it.
Dimension default_length(const Dimension& size, bool mirrored) {
  if (!mirrored) return size;
  if (size.is_known() && size.number() < 2) {
    throw Error(
        ErrorCode::invalid,
        format(
            "a one-sided spectrum of {} bins has no inverse (expected at least 2, or 'dft_length')",
            size.number()));
  }
  return (size - 1) * 2;
}

}  // namespace

void DFT::read(AttributeReader& attributes, int version) {
  axis = attributes.integer_or_input("axis", 2);
  if (!axis.is_given()) axis.value = version < 20 ? 1 : -2;
  inverse = attributes.flag("inverse");
  onesided = attributes.flag("onesided");
}

void DFT::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "input", 2);
  PartialShape shape = context.shape(0);
  if (!shape) return context.set_output(0, context.element(0), std::nullopt);
  check_parts(shape->back(), onesided, inverse);
  const Dimension given = scalar_size(context, 1, "dft_length", 1);
  const std::optional<std::int64_t> along = known_axis(context, axis);
  if (along) {
    Dimension& size = (*shape)[signal_axis(*along, context.rank(0))];
    const Dimension length =
        context.has_input(1) ? given : default_length(size, onesided && inverse);
    size = onesided && !inverse ? unique_bins(length) : length;
  } else {
    shape->assign(shape->size(), Dimension());
  }
  shape->back() = onesided && inverse ? 1 : 2;
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
