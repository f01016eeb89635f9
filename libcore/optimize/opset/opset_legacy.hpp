// Steps across the oldest opsets: how operands were laid along each other, names of types,
// training.
#pragma once

#include "libcore/graph/graph.hpp"

namespace ortool::legacy {

// Each is an OpsetAdapter, called up from the older form or down to it.

/// Add, And, Equal, Pow and their kin at 7: `broadcast` and `axis`, then numpy's rule.
Node& broadcast_up(Node& node);
Node& broadcast_down(Node& node);
/// Gemm at 7: `broadcast` for its third operand.
Node& gemm_up(Node& node);
Node& gemm_down(Node& node);
/// PRelu at 7: a slope for each channel, then numpy's rule.
Node& prelu_up(Node& node);
Node& prelu_down(Node& node);
/// Dropout at 7: `is_test`, then never in training.
Node& dropout_up(Node& node);
Node& dropout_down(Node& node);
/// BatchNormalization at 7: `is_test`, which its outputs tell too.
Node& batch_norm_up(Node& node);
/// RNN, LSTM, GRU at 7: `output_sequence`, then whether there is that output.
Node& recurrent_up(Node& node);
Node& recurrent_down(Node& node);
/// Cast at 6: types by name, then by number.
Node& cast_up(Node& node);
Node& cast_down(Node& node);
/// Concat at 4: the axis was 1 where none is given.
Node& concat_up(Node& node);
/// Max, Mean, Min and Sum at 8: operands of one shape, then numpy's rule.
Node& same_shapes_down(Node& node);
/// Upsample at 9: scales are an attribute, then an input.
Node& upsample_up(Node& node);
Node& upsample_down(Node& node);
/// Resize at 11: places counted from corners, `nearest` rounding up along axes that become shorter
/// and down along others; then attributes say both. Scales that are computed are taken to enlarge.
Node& resize_up(Node& node);

}  // namespace ortool::legacy
