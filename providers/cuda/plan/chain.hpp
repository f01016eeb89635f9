// Chain: one elementwise kernel for several operations in a row, with broadcast operands.
#pragma once

#include "providers/cuda/kernels/kernel_params.hpp"
#include "providers/cuda/plan/device_plan_builder.hpp"

namespace ortool::cuda {

/// Strides of `from` for coordinates of `to`, to which it broadcasts; adjacent axes are joined.
struct BroadcastLoops {
  LoopSizes sizes;
  std::vector<std::vector<std::int64_t>> strides;  ///< by operand
};
/// Loops over `result` in its order of axes. Throws ErrorCode::unsupported if more than max_axes
/// axes remain.
BroadcastLoops broadcast_loops(const DeviceTensor& result,
                               const std::vector<DeviceTensor>& operands);

class Chain {
 public:
  Chain(DevicePlanBuilder& builder, DeviceTensor start, Shape result);

  const Shape& result() const { return result_; }
  /// Whether there is room for more operations and operands.
  bool has_room(std::int32_t steps, std::int32_t operands) const;
  void apply(ElementOp op, double a = 0, double b = 0);
  void apply(ElementOp op, const DeviceTensor& y, bool is_reversed = false);
  void select(const DeviceTensor& if_true, const DeviceTensor& if_false);
  /// Clamps finite numbers to [-most, most].
  void keep_within(double most);
  /// Launches the kernel.
  void store(const DeviceTensor& output);

 private:
  std::int32_t add(const DeviceTensor& operand);
  KernelId kernel(const DeviceTensor& output) const;
  /// Elements that a kernel can load at once; 1: one by one.
  std::int64_t vector_width(const ElementwiseParams& params) const;

  DevicePlanBuilder& builder_;
  Shape result_;
  std::vector<DeviceTensor> operands_;
  std::vector<ElementStep> steps_;
};

}  // namespace ortool::cuda
