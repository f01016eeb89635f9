// Schemas of MatMulBlockQuantizedFp4Weight and MatMulBlockQuantizedFp8Weight.
#include "libcore/ops/contrib/weights/matmul_coded_weight.hpp"

#include <utility>

#include "libcore/ops/contrib/weights/block_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {
namespace {

constexpr std::int64_t max_coded_block = std::int64_t{1} << 31;
constexpr TypeSet product_floats = types_of({DataType::float16, DataType::bfloat16});

/// Checks A, the scales of blocks (input 2) and the bias, and sets the output.
void infer_coded_product(InferContext& context, const Dimension& depth, std::int64_t block_size,
                         std::int64_t bias) {
  const Dimension columns = dimension_at(context, 1, 0);
  check_rank(context, 2, "the scales of blocks", 2);
  check_dimension("axis 0 of the scales of blocks", dimension_at(context, 2, 0), columns);
  check_dimension("axis 1 of the scales of blocks", dimension_at(context, 2, 1),
                  floor_divide(depth - 1, block_size) + 1);
  check_vector(context, bias, "bias", columns);
  check_rank_at_least(context, 0, "A", 1);
  PartialShape shape = context.shape(0);
  if (shape) {
    check_dimension("the last axis of 'A'", shape->back(), depth);
    shape->back() = columns;
  }
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace

constinit const OpSchema MatMulBlockQuantizedFp4Weight::schema = {
    "MatMulBlockQuantizedFp4Weight",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"},
                 {"B", "T1"},
                 {"weight_scale", "T2"},
                 {"weight_scale_2", "T3"},
                 {"input_scale", "T3", Formal::Count::optional},
                 {"bias", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"block_size", AttributeKind::integer, false, 16}},
      .types = {{"T", product_floats},
                {"T1", types_of({DataType::uint8})},
                {"T2", types_of({DataType::uint8})},
                {"T3", types::float32_only}}}}};

constinit const OpSchema MatMulBlockQuantizedFp8Weight::schema = {
    "MatMulBlockQuantizedFp8Weight",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T"},
                 {"B", "T1"},
                 {"b_scale", "T2"},
                 {"a_scale", "T2", Formal::Count::optional},
                 {"bias", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"block_size", AttributeKind::integer, false, 128}},
      .types = {{"T", product_floats},
                {"T1", types_of({DataType::float8e4m3fn})},
                {"T2", types::float32_only}}}}};

void MatMulBlockQuantizedFp4Weight::read(AttributeReader& attributes, int) {
  block_size = attributes.integer_in("block_size", 16, 1, max_coded_block);
}

void MatMulBlockQuantizedFp4Weight::infer(InferContext& context) const {
  check_rank(context, 1, "B", 2);
  check_single(context, 3, "weight_scale_2");
  infer_coded_product(context, dimension_at(context, 1, 1) * 2, block_size, 5);
}

void MatMulBlockQuantizedFp8Weight::read(AttributeReader& attributes, int) {
  block_size = attributes.integer_in("block_size", 128, 1, max_coded_block);
}

void MatMulBlockQuantizedFp8Weight::infer(InferContext& context) const {
  check_rank(context, 1, "B", 2);
  check_single(context, 3, "a_scale");
  infer_coded_product(context, dimension_at(context, 1, 1), block_size, 4);
}

}  // namespace ortool
