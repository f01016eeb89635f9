// Epilogue of a product: followers of a convolution or matrix product fused into its kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/base/activation.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {

/// The epilogue that the first node of a group supports.
struct ProductForm {
  std::int64_t channels = -1;    ///< elements of a scale or shift; -1: neither is supported
  std::int64_t axes_behind = 0;  ///< axes of the result after the channels
  bool can_scale = false;        ///< constants alone determine each sum's factor
  bool has_functions = false;    ///< Gelu and Swish too, if nothing is added before
};

/// The epilogue that followers specify: per-channel scale and shift, an added tensor, then an
/// activation.
struct ProductFollowers {
  std::vector<double> scale;  ///< per channel; empty: none
  std::vector<double> shift;
  std::int64_t residual = -1;  ///< the group input that is added, or -1
  Activation activation = Activation::none;
  float low = 0.0F;
  float high = 0.0F;
};

/// Reads the followers of a group; nothing when one of them is not supported. Followers are
/// BatchNormalization (if `can_scale`) and Add of a per-channel constant, then one Add of a tensor
/// of the result's shape, as far as it is known, then Relu, LeakyRelu, HardSwish or Clip, or if
/// `has_functions` Gelu or Swish.
std::optional<ProductFollowers> read_followers(const NodeView& group, const ProductForm& form);

/// The same for the members [begin, end) of a group, which follow the preceding ones.
std::optional<ProductFollowers> read_followers(const NodeView& group, std::size_t begin,
                                               std::size_t end, const ProductForm& form);

/// Whether `next` can be a follower of the group: the `absorbs` of a KernelRow with this form.
bool can_follow(const NodeView& group, const Node& next, const ProductForm& form);

}  // namespace ortool
