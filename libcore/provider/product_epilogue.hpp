// Epilogue of a product in the graph: the nodes behind a convolution or matrix product, of floats
// or of int8, that its kernel computes as it stores sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/base/activation.hpp"
#include "libcore/optimize/precision/quantized_boundary.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {

/// What the first node of a group makes, and can have done to it.
struct ProductForm {
  enum class Sums {
    float32,
    int32,  ///< of MatMulInteger
    int8,   ///< sums that the node itself requantizes: QLinearMatMul, QLinearConv, QuantizedConv
  };
  Sums sums = Sums::float32;
  std::int64_t channels = -1;    ///< elements of a scale or shift; -1: neither is supported
  std::int64_t axes_behind = 0;  ///< axes of the result after the channels
  bool can_scale = false;        ///< constants alone determine each sum's factor
  bool has_functions = false;    ///< Gelu and Swish too, if nothing is added before
  bool can_dequantize = false;   ///< int8 may become floats again
};

/// The form by the operator of the group's first node, as the kernels of kernels/cpu have it.
/// Nothing for operators that are no products.
std::optional<ProductForm> product_form(const NodeView& view);

/// What follows a product, in this order: sums of integers become floats, then each channel is
/// scaled and shifted, a tensor added, an activation applied, and the result quantized.
struct ProductEpilogue {
  // Of sums of int32 or int8.
  bool to_float = false;           ///< a Cast to float32, or a DequantizeLinear
  std::int64_t factors = -1;       ///< the group's input of them, one for all or one a
                                   ///< column; -1: none
  ByteBounds bounds = {0, 0};      ///< of int8, narrowed by Clips
  std::optional<float> step = {};  ///< what int8 stands for, where it becomes floats

  // Of floats.
  std::vector<double> scale = {};  ///< a channel; empty: none
  std::vector<double> shift = {};
  std::int64_t residual = -1;  ///< the group input that is added, or -1
  Activation activation = Activation::none;
  float low = 0.0F;
  float high = 0.0F;

  // Of floats that were sums of integers.
  std::optional<float> divisor = {};    ///< the scale of a QuantizeLinear at the end
  DataType type = DataType::undefined;  ///< of what it makes
  std::int32_t zero_point = 0;
};

/// Reads the epilogue of a group, or of its first `members`; nothing when a node of it cannot be
/// computed so. Behind a product of floats:
///
/// - BatchNormalization (where `can_scale`) and Add of a constant a channel,
/// - one Add of a tensor of the result's shape, as far as it is known,
/// - Relu, LeakyRelu, HardSwish or Clip, or where `has_functions` Gelu or Swish.
///
/// Behind sums of int32 first a Cast to float32 and perhaps a Mul; behind int8 Clips, and where
/// `can_dequantize` a DequantizeLinear of the same scale. These can end in a QuantizeLinear.
std::optional<ProductEpilogue> match_epilogue(const NodeView& group, const ProductForm& form);
std::optional<ProductEpilogue> match_epilogue(const NodeView& group, const ProductForm& form,
                                              std::size_t members);

/// The same by product_form, of a group that was taken: what absorbs_epilogue says holds.
ProductEpilogue epilogue_of(const NodeView& group);

/// Whether `next` can join the epilogue of the group.
bool can_join_epilogue(const NodeView& group, const Node& next, const ProductForm& form);

/// The same by product_form: a KernelRow's `absorbs`.
bool absorbs_epilogue(const NodeView& group, const Node& next);

}  // namespace ortool
