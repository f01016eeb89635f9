// Operators between DequantizeLinear and QuantizeLinear become operators on bytes.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/optimize/rewrite/pass.hpp"

namespace ortool {

/// Which clusters were rewritten, in their order.
struct ClusterNotes {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  ///< no more than that
  std::vector<std::vector<std::string>> members = {};  ///< names of the nodes, the end last
};

/// Rewrites each cluster of `graph` (not of its bodies) that dequantises constants and values with
/// known scales, computes and quantises again, into operators on bytes:
///
/// | between                                   | becomes                                     |
/// |-------------------------------------------|---------------------------------------------|
/// | Conv                                      | ortool.QuantizedConv                        |
/// | MatMul                                    | QLinearMatMul                               |
/// | Add, Sub, Mul of two tensors              | ortool.QuantizedBinary                      |
/// | Concat, MaxPool, Pad, nearest Resize, …   | the same on bytes                           |
/// | functions of one element, or nothing      | ortool.ByteLookup, its table computed below |
/// | those that differ from channel to channel | ortool.ChannelLookup, a table a channel     |
///
/// A Gemm of bytes by constant ones, and a MatMul of such whose result is not quantised, becomes a
/// MatMulInteger whose sums are made floats by Cast and Mul.
///
/// Relu and Clip before the quantisation narrow the bytes. Constants made here count against `cap`
/// (may be null). Products are summed exactly in int32; where a
/// convolution's number lies near a half, its float sum decides, so that the bytes are those of
/// floats. Those of a MatMul may differ by one; all else gives the same bytes. Tables are left as
/// nodes on constants, for fold_constants. Needs inferred types; values inside what it makes have
/// none until shapes are inferred again.
/// Values between clusters keep their names. Returns how many clusters there were; with `notes`
/// (may be null) they are limited and written down.
std::int64_t fuse_quantized(Graph& graph, MemoryCap* cap, ClusterNotes* notes = nullptr);

inline constexpr std::string_view fuse_quantized_name = "fuse-quantized";

/// The same for all graphs of a model, where operators of ortool's own are allowed.
Pass fuse_quantized_pass();

}  // namespace ortool
