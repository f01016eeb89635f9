// Where the outputs of Resize lie among its inputs, and which inputs count how much.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/cpu/image/resize.hpp"
#include "libcore/ops/tensor/resize.hpp"

namespace ortool::cpu {

/// How one axis is resized.
struct ResizeRequest {
  std::int64_t in = 0;
  std::int64_t out = 0;
  float scale = 1;
  float out_exact = 0;  ///< the output's length before it was rounded down
  float roi_begin = 0;
  float roi_end = 1;
};

/// Bytes that the taps of an axis take.
std::int64_t taps_bytes(const Resampling& op, const ResizeRequest& request);

/// The taps of an axis, by the formulas of ONNX's documentation in float32. A tap of weight 0
/// stands for an input that counts too, so that no NaN comes in. `stop` may be null.
ResizeAxis make_taps(const Resampling& op, const ResizeRequest& request,
                     const StopToken* stop = nullptr);

/// Joins neighbours that are not resized.
ResizePlan join_identities(std::vector<ResizeAxis> axes);

}  // namespace ortool::cpu
