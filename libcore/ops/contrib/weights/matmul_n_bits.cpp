// Schema of ONNX Runtime's MatMulNBits, and checks of its operands.
#include "libcore/ops/contrib/weights/matmul_n_bits.hpp"

#include <optional>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_size = std::int64_t{1} << 31;

/// The number of elements if all dimensions are known.
std::optional<std::int64_t> count_of(const InferContext& context, std::int64_t input) {
  const PartialShape shape = context.shape(input);
  if (!shape) return std::nullopt;
  std::int64_t count = 1;
  for (const Dimension& dimension : *shape) {
    if (!dimension.is_known()) return std::nullopt;
    count = multiply_sizes(count, dimension.number());
  }
  return count;
}

void check_count(const InferContext& context, std::int64_t input, std::string_view name,
                 std::int64_t expected) {
  const std::optional<std::int64_t> found = count_of(context, input);
  if (!found || *found == expected) return;
  throw Error(ErrorCode::invalid,
              format("'{}' has {} elements (expected {})", name, *found, expected));
}

}  // namespace

constinit const OpSchema MatMulNBits::schema = {
    "MatMulNBits",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"},
                 {"B", "T2"},
                 {"scales", "T1"},
                 {"zero_points", "T3", Formal::Count::optional},
                 {"g_idx", "T4", Formal::Count::optional},
                 {"bias", "T1", Formal::Count::optional}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"K", AttributeKind::integer, true},
                     {"N", AttributeKind::integer, true},
                     {"accuracy_level", AttributeKind::integer, false, 0},
                     {"bits", AttributeKind::integer, false, 4},
                     {"block_size", AttributeKind::integer, true}},
      .types = {{"T1", types::scales},
                {"T2", types_of({DataType::uint8})},
                {"T3", types::scales | types_of({DataType::uint8})},
                {"T4", types::int32_only}}}}};

void MatMulNBits::read(AttributeReader& attributes, int) {
  k = attributes.integer_in("K", 0, 1, max_size);
  n = attributes.integer_in("N", 0, 1, max_size);
  bits = attributes.integer_in("bits", 4, 2, 8);
  block_size = attributes.integer_in("block_size", 0, 16, max_size);
  if ((block_size & (block_size - 1)) != 0) {
    throw Error(ErrorCode::invalid,
                format("attribute 'block_size' is {} (expected a power of two)", block_size));
  }
  // The minimum accuracy of the product; it is always computed in floating point.
  attributes.ignore("accuracy_level");
}

void MatMulNBits::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "A", 1);
  PartialShape shape = context.shape(0);
  const std::int64_t row_bytes = multiply_sizes(blocks(), block_size * bits / 8);
  check_count(context, 1, "B", multiply_sizes(n, row_bytes));
  check_count(context, 2, "scales", multiply_sizes(n, blocks()));
  const bool is_packed = context.element(3) == DataType::uint8;
  check_count(context, 3, "zero_points",
              multiply_sizes(n, is_packed ? (blocks() * bits + 7) / 8 : blocks()));
  check_vector(context, 5, "bias", Dimension(n));
  if (shape) {
    check_dimension("the last axis of 'A'", shape->back(), Dimension(k));
    shape->back() = Dimension(n);
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
