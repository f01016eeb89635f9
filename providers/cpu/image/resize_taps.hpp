// Resize taps: which inputs contribute to each output, and with which weights.
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
  float out_exact = 0;  ///< the output's length before rounding down
  float roi_begin = 0;
  float roi_end = 1;
};

/// Bytes needed by the taps of an axis.
std::int64_t taps_bytes(const Resampling& op, const ResizeRequest& request);

/// The taps of an axis, by the formulas of ONNX's documentation in float32. Taps of weight 0 are
/// redirected to an input that contributes, so that no other input's NaN is read. `stop` may be
/// null.
ResizeAxis make_taps(const Resampling& op, const ResizeRequest& request,
                     const StopToken* stop = nullptr);

/// Merges adjacent axes that are not resized.
ResizePlan join_identities(std::vector<ResizeAxis> axes);

}  // namespace ortool::cpu
