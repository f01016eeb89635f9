// Per-column parameters of int8 products: packed weights, zero points, correction terms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "kernels/cpu/gemm/int8/matmul.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/provider/provider.hpp"
#include "libcore/tensor/data_type.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

/// Arrays with one element per column.
struct Int8ColumnParams {
  std::int32_t* zeros = nullptr;  ///< of b, after the flip
  std::int32_t* terms = nullptr;  ///< sum of the column - k * its zero point
  bool has_zeros = false;         ///< any zero point is nonzero
};

/// Fills the arrays (`sums` may be `terms`). `given` has `count` zero points of type `type` for all
/// columns of b, of which these are the ones from `first` on; null: all 0.
void set_int8_columns(Int8ColumnParams& lists, std::int64_t n, std::int64_t k,
                      const std::int32_t* sums, DataType type, std::uint8_t flip,
                      const std::uint8_t* given, std::int64_t count, std::int64_t first);

/// A constant right operand, packed, with its columns' arrays if the zero points are constant too.
struct ConstantInt8Columns {
  PackedBytes panels;                 ///< packed, followed by the sums
  AlignedBuffer memory;               ///< of `lists`
  const std::byte* packed = nullptr;  ///< null: b is not constant, or has several matrices
  const std::int32_t* sums = nullptr;
  Int8ColumnParams lists;  ///< null if zero points are known only at run time

  void make(const Tensor& b, std::uint8_t flip, bool has_zeros, const Tensor* zeros, Isa isa,
            const CompileContext& context);
  std::int64_t size_bytes() const { return panels.size_bytes() + memory.size_bytes(); }
};

}  // namespace ortool::cpu
