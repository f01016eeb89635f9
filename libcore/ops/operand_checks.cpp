// Error messages for incompatible operands.
#include "libcore/ops/operand_checks.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {

void check_dimension(std::string_view what, const Dimension& found, const Dimension& expected) {
  if (!found.is_known() || !expected.is_known() || found == expected) return;
  throw Error(ErrorCode::invalid,
              format("{} is {} (expected {})", what, found.number(), expected.number()));
}

void check_vector(const InferContext& context, std::int64_t input, std::string_view name,
                  const Dimension& count) {
  const PartialShape shape = context.shape(input);
  if (!shape) return;
  if (shape->size() != 1) {
    throw Error(ErrorCode::invalid, format("'{}' has the shape {} (expected a vector of {})", name,
                                           to_string(shape), count.to_string()));
  }
  check_dimension(format("the length of '{}'", name), shape->front(), count);
}

void check_rank_at_least(const InferContext& context, std::int64_t input, std::string_view name,
                         std::int64_t least) {
  const std::int64_t rank = context.rank(input);
  if (rank < 0 || rank >= least) return;
  throw Error(ErrorCode::invalid, format("'{}' has the shape {}, of rank {} (expected at least {})",
                                         name, to_string(context.shape(input)), rank, least));
}

void check_rank(const InferContext& context, std::int64_t input, std::string_view name,
                std::int64_t rank) {
  const std::int64_t found = context.rank(input);
  if (found < 0 || found == rank) return;
  throw Error(ErrorCode::invalid, format("'{}' has the shape {}, of rank {} (expected {})", name,
                                         to_string(context.shape(input)), found, rank));
}

void check_broadcasts_to(const InferContext& context, std::int64_t input, std::string_view name,
                         const PartialShape& target) {
  const PartialShape shape = context.shape(input);
  if (!shape || !target) return;
  bool fits = shape->size() <= target->size();
  for (std::size_t i = 1; fits && i <= shape->size(); ++i) {
    const Dimension& from = (*shape)[shape->size() - i];
    const Dimension& to = (*target)[target->size() - i];
    fits = !from.is_known() || from.number() == 1 || !to.is_known() || from == to;
  }
  if (fits) return;
  throw Error(ErrorCode::invalid, format("'{}' has the shape {}, which cannot be broadcast to {}",
                                         name, to_string(shape), to_string(target)));
}

void check_single(const InferContext& context, std::int64_t input, std::string_view name) {
  const PartialShape shape = context.shape(input);
  if (!shape) return;
  for (const Dimension& dimension : *shape) {
    if (!dimension.is_known() || dimension.number() == 1) continue;
    throw Error(ErrorCode::invalid,
                format("'{}' has the shape {} (expected one element)", name, to_string(shape)));
  }
}

void check_output_rank(std::size_t rank) {
  if (rank <= static_cast<std::size_t>(Shape::max_dimensions)) return;
  throw Error(ErrorCode::invalid,
              format("the output would have rank {} (at most {})", rank, Shape::max_dimensions));
}

void check_size(std::string_view what, std::int64_t size) {
  if (size >= 0 && size <= std::int64_t{1} << 43) return;
  throw Error(ErrorCode::invalid, format("{} holds {} (expected 0 to 2^43)", what, size));
}

std::optional<std::int64_t> single_integer(const InferContext& context, std::int64_t input,
                                           std::string_view name) {
  check_single(context, input, name);
  const std::optional<std::vector<std::int64_t>> values = context.integers(input);
  return values && values->size() == 1 ? std::optional(values->front()) : std::nullopt;
}

Dimension dimension_at(const InferContext& context, std::int64_t input, std::int64_t axis) {
  const PartialShape shape = context.shape(input);
  return shape && axis < static_cast<std::int64_t>(shape->size())
             ? (*shape)[static_cast<std::size_t>(axis)]
             : Dimension();
}

}  // namespace ortool
