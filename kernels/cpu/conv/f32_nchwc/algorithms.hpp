// Convolution algorithms for float32 NCHWc (dense, depthwise, Winograd), one file each;
// conv/f32_nchwc/conv.hpp is what others see.
#pragma once

#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/conv/f32_nchwc/microkernel.hpp"

namespace ortool::cpu {

/// What a blocked convolution works on.
struct BlockedConvOperands {
  const float* x;
  const float* weights;
  float* y;
  ConvEpilogue epilogue;
};

/// Rows of the window that lie inside the image, for output row `row`: [begin, end).
struct RowRange {
  std::int64_t begin;
  std::int64_t end;
};
RowRange rows_inside(const ConvSizes& sizes, std::int64_t row);

std::int64_t blocked_dense_workspace_bytes(const ConvSizes& sizes, BlockedPath path,
                                           const BlockedFunctions& functions, int threads);
void conv_blocked_dense(const ConvSizes& sizes, BlockedPath path,
                        const BlockedConvOperands& operands, const BlockedFunctions& functions,
                        void* workspace, Workers& workers);

bool can_use_winograd(const ConvSizes& sizes);
bool is_worth_blocked_winograd(const ConvSizes& sizes);
std::int64_t blocked_winograd_weight_bytes(const ConvSizes& sizes, std::int64_t lanes);
void pack_blocked_winograd_weights(const ConvSizes& sizes, const float* weights, std::int64_t lanes,
                                   float* out, Workers& workers);
std::int64_t blocked_winograd_workspace_bytes(const ConvSizes& sizes,
                                              const BlockedFunctions& functions, int threads);
void conv_blocked_winograd(const ConvSizes& sizes, const BlockedConvOperands& operands,
                           const BlockedFunctions& functions, void* workspace, Workers& workers);

std::int64_t blocked_depthwise_workspace_bytes(const ConvSizes& sizes,
                                               const BlockedFunctions& functions, int threads);
void conv_blocked_depthwise(const ConvSizes& sizes, const BlockedConvOperands& operands,
                            const BlockedFunctions& functions, void* workspace, Workers& workers);

}  // namespace ortool::cpu
