// Heads: queries, keys and values with strides, and the calls of the attention kernels on them.
#pragma once

#include "providers/cuda/kernels/kernel_params.hpp"
#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {

/// Rows of heads within a tensor; the elements of a row are adjacent.
struct HeadsTensor {
  DeviceTensor tensor;
  std::int64_t offset = 0;  ///< elements
  std::int64_t batch = 0;
  std::int64_t heads = 0;
  std::int64_t length = 0;
  std::int64_t size = 0;
  std::int64_t strides[3] = {};  ///< batch, head, row
  bool is_packed = false;

  void* pointer() const {
    return tensor.memory.plus(offset * bytes_of(tensor.type, 1)).as_pointer();
  }
};

/// batch x length x (heads * size).
HeadsTensor packed_heads(const DeviceTensor& tensor, std::int64_t heads);
/// batch x heads x length x size.
HeadsTensor split_heads(const DeviceTensor& tensor);
/// Part `part` of batch x length x heads x parts x size.
HeadsTensor interleaved_heads(const DeviceTensor& tensor, std::int64_t part);
/// By the rank; `heads` is that of packed ones.
HeadsTensor heads_of(const DeviceTensor& tensor, std::int64_t heads);
/// `count` heads from `first` on.
HeadsTensor part_of(const HeadsTensor& heads, std::int64_t first, std::int64_t count);

class AttentionCall {
 public:
  /// Throws ErrorCode::invalid where sizes do not fit.
  AttentionCall(DevicePlanBuilder& builder, const HeadsTensor& query, const HeadsTensor& key,
                const HeadsTensor& value);

  /// Adds a mask of rank 1 to 4, or hides by a bool; nothing if not given.
  void set_mask(const DeviceTensor& mask);
  /// The number of keys of each batch, less `offset`.
  void set_lengths(DevicePlanBuilder& builder, const Node& node, const DeviceTensor& lengths,
                   std::int64_t offset);
  /// Adds `filter` to scores of keys where the mask, batch x keys, is not positive.
  void set_key_mask(DevicePlanBuilder& builder, const DeviceTensor& mask, float filter);
  void launch(const DeviceTensor& output, bool is_packed);

  AttentionParams params = {};

 private:
  /// Whether rows start at multiples of 16 bytes.
  bool has_aligned_rows() const;

  DevicePlanBuilder& builder_;
  DataType type_;
};

class RotaryCall {
 public:
  RotaryCall(DevicePlanBuilder& builder, const Node& node, const HeadsTensor& heads,
             const DeviceTensor& cosines, const DeviceTensor& sines);

  void launch_to(const DeviceTensor& output, bool is_packed);
  /// To a new packed tensor.
  HeadsTensor launch();

  RotaryParams params = {};

 private:
  DevicePlanBuilder& builder_;
  HeadsTensor heads_;
};

}  // namespace ortool::cuda
