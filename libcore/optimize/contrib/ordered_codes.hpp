// Nodes on int8 codes without zero points whose matrices may have another order in memory, for the
// decompositions of the QOrdered operators.
#pragma once

#include <cstdint>

#include "libcore/ops/contrib/quantized/matrix_layout.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {

class OrderedCodes {
 public:
  explicit OrderedCodes(Decomposition& out) : out_(out) {}

  /// An input that holds one number, as a scalar.
  Value& scale(std::int64_t input) const;

  Value& quantized(Value& x, Value& scale) const;
  Value& dequantized(Value& codes, Value& scale) const;
  /// Rounded to int8, halves to even.
  Value& rounded(Value& x) const;
  /// Integers as floats, multiplied.
  Value& scaled(Value& sums, Value& factor) const;

  /// Whether the layout is one of tiles, which needs a known number of columns.
  static bool has_tiles(MatrixLayout layout);
  /// The matrices of a value of this rank and number of columns from rows to a layout, and back;
  /// the shape stays.
  Value& to_layout(Value& x, std::int64_t rank, MatrixLayout layout,
                   std::int64_t columns = 0) const;
  Value& from_layout(Value& x, std::int64_t rank, MatrixLayout layout,
                     std::int64_t columns = 0) const;

 private:
  Decomposition& out_;
};

}  // namespace ortool
