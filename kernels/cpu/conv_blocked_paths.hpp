// The two kinds of blocked convolution, one file each; conv_blocked.hpp is what others see.
#pragma once

#include "kernels/cpu/blocked_tile.hpp"
#include "kernels/cpu/conv_blocked.hpp"

namespace ortool::cpu {

/// What a blocked convolution works on.
struct BlockedConvOperands {
  const float* x;
  const float* weights;
  float* y;
  ConvEpilogue epilogue;
};

/// Tasks that a piece of work is cut into: none below some ten microseconds, which is where a
/// second thread begins to pay.
inline std::int64_t worthwhile_tasks(double nanoseconds) {
  constexpr double least_ns = 12000;
  constexpr double task_ns = 6000;
  constexpr double most_tasks = 128;
  if (nanoseconds < least_ns) return 1;
  const double tasks = nanoseconds / task_ns;
  return static_cast<std::int64_t>(tasks < most_tasks ? tasks : most_tasks);
}

/// Rows of the window that lie inside the image, for output row `row`: [begin, end).
struct RowRange {
  std::int64_t begin;
  std::int64_t end;
};
RowRange rows_inside(const ConvSizes& sizes, std::int64_t row);

std::int64_t blocked_dense_workspace_bytes(const ConvSizes& sizes, BlockedSource source,
                                           const BlockedFunctions& functions, int threads);
void conv_blocked_dense(const ConvSizes& sizes, BlockedSource source,
                        const BlockedConvOperands& operands, const BlockedFunctions& functions,
                        void* workspace, Workers& workers);
std::int64_t blocked_depthwise_workspace_bytes(const ConvSizes& sizes,
                                               const BlockedFunctions& functions, int threads);
void conv_blocked_depthwise(const ConvSizes& sizes, const BlockedConvOperands& operands,
                            const BlockedFunctions& functions, void* workspace, Workers& workers);

}  // namespace ortool::cpu
