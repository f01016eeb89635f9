// Codes of quantized weights: packed bytes as ONNX's small integers, and nodes that unpack them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Codes of `bits` bits in bytes, the first one in the low bits.
struct PackedCodes {
  const std::byte* bytes = nullptr;
  std::int64_t bits = 8;

  std::int64_t at(std::int64_t index) const;
};

/// ONNX's integers that hold the codes of quantized weights. Codes of 2 bits have 4 where the graph
/// has no type of 2.
class CodeType {
 public:
  CodeType(const Decomposition& out, std::int64_t bits, bool is_signed);

  DataType type() const { return type_; }
  /// The code that stands for 0 without zero points; subtracted from codes of a signed type.
  std::int64_t middle() const { return std::int64_t{1} << (bits_ - 1); }
  /// A tensor whose codes are all 0.
  Tensor make(Shape shape) const;
  void set(Tensor& tensor, std::int64_t index, std::int64_t code) const;

 private:
  std::int64_t bits_;
  std::int64_t stored_bits_;
  bool is_signed_;
  DataType type_;
};

/// The codes in bytes of a value of rank `rank`, as int32; the last axis has 8 / bits times as many
/// elements.
Value& unpacked_codes(Decomposition& out, Value& bytes, std::int64_t rank, std::int64_t bits,
                      bool starts_high = false);

/// `x` in blocks along an axis, dequantized, in the type of the scales: weights stay codes in the
/// file. The opset is raised to the first one that has blocks.
Value& dequantized_blocks(Decomposition& out, Value& x, Value& scales, Value* zeros,
                          std::int64_t axis, std::int64_t block_size);

/// Two axes of a constant swapped: rows x columns elements of whole bytes.
Tensor transposed_matrix(const Tensor& matrix, std::int64_t rows, std::int64_t columns);

}  // namespace ortool
