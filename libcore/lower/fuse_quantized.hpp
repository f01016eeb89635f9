// Quantized fusion: QDQ clusters become integer operators.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/optimize/rewrite/pass.hpp"

namespace ortool {

/// The clusters that were rewritten, in order.
struct ClusterNotes {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< at most this many
  std::vector<std::vector<std::string>> members = {};            ///< node names, the end last
};

/// Rewrites each cluster of `graph` (not of its bodies) that dequantizes constants and values with
/// known scales, computes, and quantizes again, into operators on int8 or uint8:
///
/// | between                                   | becomes                                     |
/// |-------------------------------------------|---------------------------------------------|
/// | Conv                                      | ortool.QuantizedConv                        |
/// | MatMul                                    | QLinearMatMul                               |
/// | Add, Sub, Mul of two tensors              | ortool.QuantizedBinary                      |
/// | Concat, MaxPool, Pad, nearest Resize, …   | the same on quantized values                |
/// | elementwise functions, or nothing         | ortool.ByteLookup, its table computed below |
/// | functions that differ by channel          | ortool.ChannelLookup, a table per channel   |
///
/// A Gemm of quantized values by quantized constants, and such a MatMul without quantized result,
/// becomes a MatMulInteger whose sums are scaled to floats by Cast and Mul.
///
/// Relu and Clip before the quantization restrict its range. Constants created here count against
/// `cap` (may be null). Products are summed exactly in int32; at a rounding tie of a convolution
/// its float sum decides, so that results equal those of the float operators. Results of a MatMul
/// may differ by one; everything else is identical. Tables are left as nodes on constants, for
/// fold_constants. Needs inferred types; new inner values have none until shapes are inferred
/// again. Values between clusters keep their names. Returns the number of clusters; `notes` (may be
/// null) limits and records them.
std::int64_t fuse_quantized(Graph& graph, MemoryCap* cap, ClusterNotes* notes = nullptr);

inline constexpr std::string_view fuse_quantized_name = "fuse-quantized";

/// The same for all graphs of a model, where ortool's own operators are allowed.
Pass fuse_quantized_pass();

}  // namespace ortool
