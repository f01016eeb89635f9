// Epilogue of a product: the nodes after a convolution or matrix product, float or int8, that are
// fused into its kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/base/activation.hpp"
#include "libcore/optimize/precision/quantized_boundary.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {

/// The sums that the first node of a group computes, and the epilogue that it supports.
struct EpilogueSupport {
  enum class Sums {
    float32,
    int32,  ///< MatMulInteger
    int8,   ///< requantized by the node: QLinearMatMul, QLinearConv, QuantizedConv
  };
  Sums sums = Sums::float32;
  std::int64_t channels = -1;    ///< elements of a scale or shift; -1: neither is supported
  std::int64_t axes_behind = 0;  ///< axes of the result after the channels
  bool can_scale = false;        ///< constants alone determine each sum's factor
  bool has_functions = false;    ///< Gelu and Swish too, if nothing is added before
  bool can_dequantize = false;   ///< of int8: a DequantizeLinear may follow
};

/// The form of the group's first node by its operator, as the kernels of kernels/cpu support it.
/// Nothing for operators other than products.
std::optional<EpilogueSupport> product_form(const NodeView& view);

/// The epilogue that the nodes after a product specify, in this order: conversion of integer sums
/// to float, per-channel scale and shift, an added tensor, an activation, quantization.
struct ProductEpilogue {
  // Of int32 or int8 sums.
  bool to_float = false;           ///< a Cast to float32, or a DequantizeLinear
  std::int64_t factors = -1;       ///< the group's input with the scale of the sums, one
                                   ///< for all or one per column; -1: none
  Int8Bounds bounds = {0, 0};      ///< of int8, narrowed by Clip
  std::optional<float> step = {};  ///< scale of the DequantizeLinear

  // Of floats.
  std::vector<double> scale = {};  ///< per channel; empty: none
  std::vector<double> shift = {};
  std::int64_t residual = -1;  ///< the group input that is added, or -1
  Activation activation = Activation::none;
  float low = 0.0F;
  float high = 0.0F;

  // Of float results of integer sums.
  std::optional<float> divisor = {};    ///< scale of a final QuantizeLinear
  DataType type = DataType::undefined;  ///< of its result
  std::int32_t zero_point = 0;
};

/// Matches the epilogue of a group, or of its first `members`; nothing when one of its nodes is not
/// supported. A float product may be followed by:
///
/// - BatchNormalization (if `can_scale`) and Add of a per-channel constant,
/// - one Add of a tensor of the result's shape, as far as it is known,
/// - Relu, LeakyRelu, HardSwish or Clip, or if `has_functions` Gelu or Swish.
///
/// Before these, int32 sums need a Cast to float32 and may have a Mul; int8 may have Clips and, if
/// `can_dequantize`, a DequantizeLinear. After these, both may end in a QuantizeLinear.
std::optional<ProductEpilogue> match_epilogue(const NodeView& group,
                                              const EpilogueSupport& support);
std::optional<ProductEpilogue> match_epilogue(const NodeView& group, const EpilogueSupport& support,
                                              std::size_t members);

/// The epilogue of a group that absorbs_epilogue accepted.
ProductEpilogue epilogue_of(const NodeView& group);

/// Whether `next` can be fused as the next node of the epilogue.
bool can_join_epilogue(const NodeView& group, const Node& next, const EpilogueSupport& support);

/// The same with product_form: the `absorbs` of a KernelRow.
bool absorbs_epilogue(const NodeView& group, const Node& next);

}  // namespace ortool
