// Epilogue of products and convolutions: the nodes that follow which the library's call computes.
#pragma once

#include "providers/cuda/operators/operator_table.hpp"

namespace ortool::cuda {

/// A bias of the channels, an addend of the result's shape, and Relu, in this order.
class Epilogue {
 public:
  /// The result, and what is added to it, has its channels behind the pixels if that is said.
  Epilogue(DevicePlanBuilder& builder, const Node& node, FusedNodes fused_nodes,
           bool is_channels_last = false)
      : builder_(builder),
        node_(node),
        fused_nodes_(fused_nodes),
        is_channels_last_(is_channels_last) {}

  void set_bias(const DeviceTensor& bias) { bias_ = bias; }
  void set_addend(const DeviceTensor& addend) { addend_ = addend; }
  /// Folds fused_nodes: `channels` elements of bias lie `inner` elements apart in the result.
  void match(std::int64_t channels, std::int64_t inner, bool takes_bias);

  const DeviceTensor& bias() const { return bias_; }
  const DeviceTensor& addend() const { return addend_; }
  bool has_relu() const { return has_relu_; }
  std::size_t folded() const { return folded_; }
  DeviceTensor make_output() const;

 private:
  /// The other operand of an Add that follows; not given: another operator.
  DeviceTensor other_operand(const Node& next) const;
  const Value* result() const;

  DevicePlanBuilder& builder_;
  const Node& node_;
  FusedNodes fused_nodes_;
  bool is_channels_last_;
  DeviceTensor bias_;
  DeviceTensor addend_;
  bool has_relu_ = false;
  std::size_t folded_ = 0;
};

}  // namespace ortool::cuda
