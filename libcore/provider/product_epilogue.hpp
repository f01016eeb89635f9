// The nodes behind a convolution or matrix product that its kernel computes as it stores sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcore/base/activation.hpp"
#include "libcore/provider/node_view.hpp"

namespace ortool {

/// What the first node of a group can have done to its result.
struct ProductForm {
  std::int64_t channels = -1;    ///< numbers a scale or shift has; -1: neither can be
  std::int64_t axes_behind = 0;  ///< axes of the result behind the channels
  bool can_scale = false;        ///< constants alone decide each sum's factor
  bool has_functions = false;    ///< Gelu and Swish too, where nothing is added before
};

/// What followers ask for: scale and shift each channel, add a tensor, then an activation.
struct ProductFollowers {
  std::vector<double> scale;  ///< a channel; empty: none
  std::vector<double> shift;
  std::int64_t residual = -1;  ///< the group's input that is added, or -1
  Activation activation = Activation::none;
  float low = 0.0F;
  float high = 0.0F;
};

/// Reads the followers of a group; nothing when one of them cannot be computed so. Followers are
/// BatchNormalization (where `can_scale`) and Add of a constant a channel, then one Add of a tensor
/// of the result's shape, as far as it is known, then Relu, LeakyRelu, HardSwish or Clip, or where
/// `has_functions` Gelu or Swish.
std::optional<ProductFollowers> read_followers(const NodeView& group, const ProductForm& form);

/// The same of the members [begin, end) of a group, which follow the ones before.
std::optional<ProductFollowers> read_followers(const NodeView& group, std::size_t begin,
                                               std::size_t end, const ProductForm& form);

/// Whether `next` can be a follower of the group: a KernelRow's `absorbs` for a form.
bool can_follow(const NodeView& group, const Node& next, const ProductForm& form);

}  // namespace ortool
