// Checks of the operands of products with block-quantized weights.
#include "libcore/ops/contrib/weights/block_operands.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_block_operand = std::int64_t{1} << 31;

}  // namespace

std::int64_t read_block_count(AttributeReader& attributes, std::string_view name) {
  return attributes.integer_in(name, 0, 1, max_block_operand);
}

std::int64_t read_block_size(AttributeReader& attributes, std::int64_t otherwise) {
  const std::int64_t size = attributes.integer_in("block_size", otherwise, 16, max_block_operand);
  if ((size & (size - 1)) != 0) {
    throw Error(ErrorCode::invalid,
                format("attribute 'block_size' is {} (expected a power of two)", size));
  }
  return size;
}

std::int64_t read_block_bits(AttributeReader& attributes, std::string_view name) {
  const std::int64_t bits = attributes.integer(name, 4);
  if (bits != 2 && bits != 4 && bits != 8)
    throw Error(ErrorCode::invalid, format("{} is {} (expected 2, 4 or 8)", name, bits));
  return bits;
}

std::optional<std::int64_t> element_count_of(const InferContext& context, std::int64_t input) {
  const PartialShape shape = context.shape(input);
  if (!shape) return std::nullopt;
  std::int64_t count = 1;
  for (const Dimension& dimension : *shape) {
    if (!dimension.is_known()) return std::nullopt;
    count = multiply_sizes(count, dimension.number());
  }
  return count;
}

void check_element_count(const InferContext& context, std::int64_t input, std::string_view name,
                         std::int64_t expected) {
  const std::optional<std::int64_t> found = element_count_of(context, input);
  if (!found || *found == expected) return;
  throw Error(ErrorCode::invalid,
              format("'{}' has {} elements (expected {})", name, *found, expected));
}

void BlockOperands::check_codes(const InferContext& context, std::int64_t input,
                                std::string_view name) const {
  check_element_count(context, input, name,
                      multiply_sizes(n, multiply_sizes(blocks(), block_size * bits / 8)));
}

void BlockOperands::check_scales(const InferContext& context, std::int64_t input,
                                 std::string_view name) const {
  check_element_count(context, input, name, multiply_sizes(n, blocks()));
}

void set_product_output(InferContext& context, std::int64_t depth, const Dimension& columns) {
  set_product_output(context, 0, depth, columns);
}

void set_product_output(InferContext& context, std::int64_t output, std::int64_t depth,
                        const Dimension& columns) {
  check_rank_at_least(context, 0, "A", 1);
  PartialShape shape = context.shape(0);
  if (shape) {
    check_dimension("the last axis of 'A'", shape->back(), Dimension(depth));
    shape->back() = columns;
  }
  context.set_output(output, context.element(0), std::move(shape));
}

}  // namespace ortool
