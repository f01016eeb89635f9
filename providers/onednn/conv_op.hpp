// Conv and ConvTranspose behind one interface: attributes and resulting sizes.
#pragma once

#include <optional>

#include "libcore/ops/nn/conv/conv.hpp"
#include "libcore/ops/nn/conv/conv_transpose.hpp"
#include "libcore/provider/node_view.hpp"
#include "providers/onednn/conv_tiles.hpp"

namespace ortool::onednn {

/// Either operator, as read from its node.
class ConvOp {
 public:
  explicit ConvOp(const Node& node);

  bool is_transposed() const { return is_transposed_; }
  std::int64_t groups() const { return is_transposed_ ? transpose_.groups : conv_.groups; }
  /// Sizes for operands of these shapes, with at most three spatial axes. Throws ErrorCode::invalid
  /// if the window does not fit.
  ConvShape place(const Shape& x, const Shape& weights) const;

 private:
  bool is_transposed_ = false;
  Conv conv_;
  ConvTranspose transpose_;
};

/// The node's sizes for a single image, with typical values for unknown dimensions. Empty if the
/// weights' shape is unknown or the window does not fit.
std::optional<ConvShape> likely_conv(const NodeView& view, const ConvOp& op);

}  // namespace ortool::onednn
