// Convolution algorithms for float32 NCHW (im2col, im2row, direct, depthwise, Winograd), one file
// each; conv/f32_nchw/conv.hpp is the entry point that chooses among them.
#pragma once

#include <cstdint>

#include "kernels/cpu/conv/f32_nchw/conv.hpp"
#include "kernels/cpu/conv/f32_nchw/im2col.hpp"
#include "kernels/cpu/gemm/f32/packed_product.hpp"

namespace ortool::cpu {

constexpr std::int64_t float_bytes = 4;

inline std::int64_t round_up_to_line(std::int64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

inline std::int64_t volume(const std::int64_t (&dims)[3]) {
  return dims[0] * dims[1] * dims[2];
}

/// Multiplications per output value (the GEMM's k).
std::int64_t conv_depth(const ConvSizes& sizes);

/// Whether the convolution is 1×1 with stride 1 and no padding: output pixels read the same pixel.
bool is_pointwise(const ConvSizes& sizes);

/// Packs the windows of a group's output pixels [first, first + columns) as a panel of `width`
/// columns.
void pack_windows(const ConvSizes& sizes, const float* group_image, std::int64_t first,
                  std::int64_t columns, std::int64_t width, Isa isa, float* out);

std::int64_t conv_im2col_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void conv_im2col(const ConvSizes& sizes, const float* x, const float* packed_weights, float* y,
                 const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers);

std::int64_t conv_im2row_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void conv_im2row(const ConvSizes& sizes, const float* x, const float* packed_weights, float* y,
                 const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers);

/// Whether few enough output channels read windows without column strides.
bool is_direct(const ConvSizes& sizes);
std::int64_t direct_weight_bytes(const ConvSizes& sizes);
void pack_direct_weights(const ConvSizes& sizes, const float* weights, float* out);
std::int64_t conv_direct_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void conv_direct(const ConvSizes& sizes, const float* x, const float* packed_weights, float* y,
                 const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers);

/// Whether this is a 3 × 3 convolution with stride 1 in a single group.
bool is_winograd(const ConvSizes& sizes);
std::int64_t winograd_weight_bytes(const ConvSizes& sizes);
void pack_winograd_weights(const ConvSizes& sizes, const float* weights, Isa isa, float* out,
                           Workers& workers);
std::int64_t conv_winograd_workspace_bytes(const ConvSizes& sizes, Isa isa, int threads);
void conv_winograd(const ConvSizes& sizes, const float* x, const float* packed_weights, float* y,
                   const Epilogue& epilogue, Isa isa, void* workspace, Workers& workers);

void conv_depthwise(const ConvSizes& sizes, const float* x, const float* weights, float* y,
                    const Epilogue& epilogue, Isa isa, Workers& workers);

}  // namespace ortool::cpu
