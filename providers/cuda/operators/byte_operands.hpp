// Byte operands: int8 and uint8 matrices, weights and zero points as products of int8 take them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "providers/cuda/kernels/quantized_params.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {

bool is_byte(DataType type);

/// Constant weights as signed bytes: rows of `padded_size` bytes, and the sum of each.
struct PackedWeights {
  EncodedPointer bytes;
  EncodedPointer sums;
};

/// Where the bytes of packed weights come from, and where they go.
struct WeightLayout {
  std::int64_t rows = 0;
  std::int64_t size = 0;         ///< of a row
  std::int64_t padded_rows = 0;  ///< zeros
  std::int64_t padded_size = 0;
  bool has_rows_behind = false;  ///< element j of all rows, then the next one's
  /// The place of an element in the constant.
  std::function<std::int64_t(std::int64_t row, std::int64_t place)> source;
};

/// The input, which the host knows, packed: once for a constant. `form` tells layouts apart.
PackedWeights pack_weights(DevicePlanBuilder& builder, const Node& node, std::int64_t input,
                           const WeightLayout& layout, std::vector<std::int64_t> form);

/// Rows of a matrix as signed bytes.
struct ByteRows {
  EncodedPointer bytes;
  std::int64_t padded_size = 0;
  EncodedPointer sums;  ///< null if not wanted
};
/// The rows of some matrices, in place if they can be, or else padded.
ByteRows pack_rows(DevicePlanBuilder& builder, const DeviceTensor& from, std::int64_t matrices,
                   std::int64_t rows, std::int64_t size, bool wants_sums);
/// The columns of some matrices as rows of `padded_size`, with sums; further rows are zeros.
ByteRows pack_columns(DevicePlanBuilder& builder, const DeviceTensor& from, std::int64_t matrices,
                      std::int64_t columns, std::int64_t size, std::int64_t padded_size);
EncodedPointer sum_rows(DevicePlanBuilder& builder, EncodedPointer bytes, std::int64_t rows,
                        std::int64_t padded_size);

/// The sizes of int8 products are multiples of this; aligned rows are faster.
std::int64_t padded_columns(std::int64_t columns);
std::int64_t padded_depth(std::int64_t depth);

/// out = a * b^T, by the library or else by a kernel. A stride of 0: one matrix for all.
struct ByteProduct {
  EncodedPointer a;
  EncodedPointer b;
  EncodedPointer out;
  std::int64_t matrices = 1;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t a_stride = 0;
  std::int64_t b_stride = 0;
};
void multiply_bytes(DevicePlanBuilder& builder, const ByteProduct& product);

/// Of an operand of the type; null data: all are 0.
ZeroPointList zero_points(DevicePlanBuilder& builder, const Node& node, std::int64_t input,
                          DataType type);
/// Whether the zero points are known to be 0 once values are signed bytes.
bool are_zero(const DevicePlanBuilder& builder, const Node& node, std::int64_t input,
              DataType type);

/// The float32 numbers of an input that is known before the run.
std::vector<float> known_floats(const DevicePlanBuilder& builder, const Node& node,
                                std::int64_t input);
/// A float32 input, of which constants are float32 on the device whatever the precision.
DeviceTensor exact_floats(DevicePlanBuilder& builder, const Node& node, std::int64_t input);
const float* upload_floats(DevicePlanBuilder& builder, const std::vector<float>& numbers);
/// One for each column, as the sums are multiplied: a * b / out, rounded twice.
std::vector<float> column_scales(float a, const std::vector<float>& b, float out,
                                 std::int64_t columns);

/// Bounds of a quantized result.
struct ByteBounds {
  std::int32_t low = 0;
  std::int32_t high = 255;
};
ByteBounds bounds_of(DataType type);
/// Folds a Clip of bytes that follows; returns whether one does.
bool fold_clip(const DevicePlanBuilder& builder, FusedNodes fused_nodes, ByteBounds& bounds);

/// Why a node is refused one of whose inputs in the set (bit i: input i) is not constant.
std::string refuses_computed(const Node& node, std::uint32_t inputs);
/// Why an input with zero points or scales is refused: only one is taken, or a list of them.
std::string refuses_list(const Node& node, std::int64_t input, bool allows_list,
                         std::string_view what);

}  // namespace ortool::cuda
