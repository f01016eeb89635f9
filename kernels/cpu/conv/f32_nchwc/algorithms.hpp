// Convolution algorithms for float32 NCHWc (dense, depthwise, Winograd), one file each;
// conv/f32_nchwc/conv.hpp is the entry point.
#pragma once

#include "kernels/cpu/conv/bf16_nchwc/depthwise.hpp"
#include "kernels/cpu/conv/f32_nchwc/conv.hpp"
#include "kernels/cpu/conv/f32_nchwc/microkernel.hpp"

namespace ortool::cpu {

/// Operands of an NCHWc convolution. Images are float32, except of a depthwise one that
/// can_convolve_bfloat16.
struct NchwcConvOperands {
  InputImage x;
  const float* weights;
  OutputImage y;
  Epilogue epilogue;
};

/// Kernel rows that lie inside the image for output row `row`: [begin, end).
struct RowRange {
  std::int64_t begin;
  std::int64_t end;
};
RowRange rows_inside(const ConvSizes& sizes, std::int64_t row);

std::int64_t nchwc_dense_workspace_bytes(const ConvSizes& sizes, NchwcConvAlgorithm path,
                                         const NchwcFunctions& functions, int threads);
void conv_nchwc_dense(const ConvSizes& sizes, NchwcConvAlgorithm path,
                      const NchwcConvOperands& operands, const NchwcFunctions& functions,
                      void* workspace, Workers& workers);

bool can_use_winograd(const ConvSizes& sizes);
bool is_worth_nchwc_winograd(const ConvSizes& sizes);
std::int64_t nchwc_winograd_weight_bytes(const ConvSizes& sizes, std::int64_t lanes);
void pack_nchwc_winograd_weights(const ConvSizes& sizes, const float* weights, std::int64_t lanes,
                                 float* out, Workers& workers);
std::int64_t nchwc_winograd_workspace_bytes(const ConvSizes& sizes, const NchwcFunctions& functions,
                                            int threads);
void conv_nchwc_winograd(const ConvSizes& sizes, const NchwcConvOperands& operands,
                         const NchwcFunctions& functions, void* workspace, Workers& workers);

std::int64_t nchwc_depthwise_workspace_bytes(const ConvSizes& sizes,
                                             const NchwcFunctions& functions, int threads);
/// `bfloat16` computes images in bfloat16; null where there are none.
void conv_nchwc_depthwise(const ConvSizes& sizes, const NchwcConvOperands& operands,
                          const NchwcFunctions& functions, const Bf16DepthwiseFunctions* bfloat16,
                          void* workspace, Workers& workers);

}  // namespace ortool::cpu
