// Opset adapters of the oldest versions: broadcasting by axis, types by name, training modes.
#pragma once

#include "libcore/graph/node.hpp"

namespace ortool::legacy {

// Each is an OpsetAdapter, called up from the older form or down to it.

/// Add, And, Equal, Pow and the like at 7: `broadcast` and `axis`, then NumPy broadcasting.
Node& broadcast_up(Node& node);
Node& broadcast_down(Node& node);
/// Gemm at 7: `broadcast` for its third operand.
Node& gemm_up(Node& node);
Node& gemm_down(Node& node);
/// PRelu at 7: a per-channel slope, then NumPy broadcasting.
Node& prelu_up(Node& node);
Node& prelu_down(Node& node);
/// Dropout at 7: `is_test`, then always inference.
Node& dropout_up(Node& node);
Node& dropout_down(Node& node);
/// BatchNormalization at 7: `is_test`, then implied by the number of outputs.
Node& batch_norm_up(Node& node);
/// RNN, LSTM, GRU at 7: `output_sequence`, then implied by the presence of that output.
Node& recurrent_up(Node& node);
Node& recurrent_down(Node& node);
/// Cast at 6: types by name, then by number.
Node& cast_up(Node& node);
Node& cast_down(Node& node);
/// Concat at 4: the axis defaulted to 1.
Node& concat_up(Node& node);
/// Max, Mean, Min and Sum at 8: operands of equal shape, then NumPy broadcasting.
Node& same_shapes_down(Node& node);
/// Upsample at 9: scales are an attribute, then an input.
Node& upsample_up(Node& node);
Node& upsample_down(Node& node);
/// Resize at 11: asymmetric coordinates, with `nearest` rounding up along axes that shrink and down
/// along others; then attributes specify both. Computed scales are assumed to enlarge.
Node& resize_up(Node& node);

}  // namespace ortool::legacy
