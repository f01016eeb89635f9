// Orders of a matrix's elements in memory, as the QOrdered operators of com.microsoft number them
// after cuBLASLt. Shapes do not change with them.
// https://docs.nvidia.com/cuda/cublas/#cublasltorder-t
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

enum class MatrixLayout {
  columns = 0,        ///< column by column
  rows = 1,           ///< row by row
  columns_of_32 = 2,  ///< tiles of 32 columns, row by row
  rows_of_8 = 3,      ///< tiles of 8 rows and 32 columns, even rows before odd ones
  rows_of_32 = 4,     ///< tiles of 32 rows and 32 columns, pairs of rows
};

/// Throws ErrorCode::invalid for another number.
MatrixLayout read_matrix_layout(AttributeReader& attributes, std::string_view name,
                                MatrixLayout default_value = MatrixLayout::rows);

/// Throws ErrorCode::unsupported unless the attribute has this value.
void check_matrix_layout(std::string_view attribute, MatrixLayout found, MatrixLayout expected);

/// Throws ErrorCode::invalid when the matrices of an input are known not to be whole tiles.
void check_tiles(const InferContext& context, std::int64_t input, MatrixLayout layout);

}  // namespace ortool
