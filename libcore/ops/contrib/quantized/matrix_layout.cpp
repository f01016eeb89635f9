// Reading and checking of matrix layouts.
#include "libcore/ops/contrib/quantized/matrix_layout.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

MatrixLayout read_matrix_layout(AttributeReader& attributes, std::string_view name,
                                MatrixLayout default_value) {
  constexpr auto last = static_cast<std::int64_t>(MatrixLayout::rows_of_32);
  return static_cast<MatrixLayout>(
      attributes.integer_in(name, static_cast<std::int64_t>(default_value), 0, last));
}

void check_matrix_layout(std::string_view attribute, MatrixLayout found, MatrixLayout expected) {
  if (found == expected) return;
  throw Error(ErrorCode::unsupported,
              format("{} is {} (expected {}, the only order that ONNX Runtime computes)", attribute,
                     static_cast<int>(found), static_cast<int>(expected)),
              "reorder the matrix with DequantizeWithOrder and QuantizeWithOrder");
}

void check_tiles(const InferContext& context, std::int64_t input, MatrixLayout layout) {
  const PartialShape shape = context.shape(input);
  if (!shape || shape->empty() || layout == MatrixLayout::rows || layout == MatrixLayout::columns)
    return;
  const Dimension& columns = shape->back();
  if (columns.is_known() && columns.number() % 32 != 0)
    throw Error(ErrorCode::invalid,
                format("a matrix has {} columns (expected a multiple of 32)", columns.number()));
  const std::int64_t rows = layout == MatrixLayout::rows_of_8    ? 8
                            : layout == MatrixLayout::rows_of_32 ? 32
                                                                 : 1;
  const Dimension found = shape->size() > 1 ? (*shape)[shape->size() - 2] : Dimension(1);
  if (found.is_known() && found.number() % rows != 0)
    throw Error(ErrorCode::invalid,
                format("a matrix has {} rows (expected a multiple of {})", found.number(), rows));
}

}  // namespace ortool
