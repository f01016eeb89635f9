// Parameters of the kernels on 8-bit integers: packing, requantization, convolutions, lookups.
//
// Products multiply signed bytes. Unsigned ones are shifted by 128, as their zero points are, by
// flipping the top bit.
#pragma once

#include <stdint.h>

#include "providers/cuda/kernels/element_params.hpp"

namespace ortool::cuda {

/// Zero points of int8 or uint8: one, or one for each channel or column.
struct ZeroPointList {
  const void* data;  ///< null: 0
  int32_t type;
  int32_t is_list;
};

/// Copies rows of bytes, each padded with zeros to a multiple of four.
struct PackBytesParams {
  const uint8_t* from;
  uint8_t* to;
  int32_t flip;  ///< 128 for uint8
  int64_t matrices;
  int64_t rows;  ///< of a matrix
  int64_t size;  ///< of a row
  int64_t padded_size;
  int64_t padded_rows;  ///< further rows are zeros
  int64_t matrix_stride;
  int64_t row_stride;
  int64_t element_stride;
};

/// Sums of signed bytes, one for each row.
struct SumBytesParams {
  const int8_t* from;
  int32_t* to;
  int64_t rows;
  int64_t size;  ///< of a row, padded with zeros to a multiple of four
};

/// What the library does not multiply: out = a * b^T, rows padded to a multiple of four bytes.
struct MultiplyBytesParams {
  const int8_t* a;
  const int8_t* b;
  int32_t* out;
  int64_t matrices;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t a_stride;  ///< bytes between matrices; 0: one for all
  int64_t b_stride;
};

/// A convolution's windows over two axes, of images with channels behind pixels.
struct ByteWindows {
  const uint8_t* images;
  ZeroPointList image_zero;
  int64_t batch;
  int64_t channels;        ///< of the images
  int64_t filters;         ///< of the result
  int64_t group_channels;  ///< of one group
  int64_t group_filters;
  int64_t in[2];
  int64_t out[2];
  int64_t kernel[2];
  int64_t stride[2];
  int64_t dilation[2];
  int64_t pad[2];
};

/// Makes rows of pixels `first` to `first + rows`: the bytes of a window, tap by tap.
struct WindowRowsParams {
  ByteWindows windows;
  uint8_t* to;
  int64_t first;
  int64_t rows;
  int64_t padded_size;  ///< of a row
};

/// Decides numbers near a rounding tie by float32 sums, in the order of channels and taps.
struct RoundingTies {
  const float* weight_scales;  ///< one for each filter; null: integers alone decide
  const float* biases;         ///< may be null
  const int8_t* weights;
  int64_t filter_stride;
  int64_t tap_stride;
  int64_t channel_stride;
  float image_scale;
  float out_scale;
};

/// Quantized bytes of the result's shape and layout, which are added to the bytes of a sum; what
/// results is quantized again.
struct ByteResidual {
  const uint8_t* bytes;  ///< null: nothing is added
  ZeroPointList zero;
  ZeroPointList sum_zero;  ///< of the sum's bytes
  float scale;
  float sum_scale;
  const void* out_zero;
  int32_t out_type;
  int32_t low;  ///< bounds of the result
  int32_t high;
  float out_scale;
};

enum class SumResult : int32_t { integers, bytes, reals };

/// What becomes of exact sums: integers, requantized bytes, or reals.
///
///     sum - a zero * (column sum - depth * b zero) - b zero * row sum + bias
struct SumEpilogue {
  void* out;
  SumResult result;
  int32_t out_type;
  ZeroPointList a_zero;
  ZeroPointList b_zero;
  int64_t depth;
  const int32_t* column_sums;  ///< of b
  const int32_t* biases;       ///< may be null
  // Of bytes, and of reals that are bytes before; otherwise null.
  const float* scales;  ///< one for each column
  const void* byte_zero;
  int32_t byte_type;
  int32_t low;  ///< bounds of the bytes
  int32_t high;
  RoundingTies ties;
  ByteResidual residual;
  // Of reals: (byte - step zero) * step, or the sum * factor; plus addend.
  ZeroPointList step_zero;
  float step;
  const void* factors;  ///< may be null
  const void* addends;  ///< one for each column; may be null
  int32_t factor_type;
  int32_t addend_type;
  int32_t has_factor_list;
};

struct RequantizeParams {
  const int32_t* sums;
  const int32_t* row_sums;  ///< of a; null: the zero points of b are 0
  int64_t first;            ///< the row of the result that the first row of sums is
  int64_t rows;
  int64_t row_period;  ///< of the sums of rows, which are repeated
  int64_t columns;
  int64_t padded_columns;  ///< of the sums
  int64_t matrix_rows;     ///< rows with the same column sums
  int64_t matrix_columns;  ///< from one matrix's column sums to the next one's; 0: one for all
  SumEpilogue epilogue;
  ByteWindows windows;  ///< with rounding ties
};

/// A convolution of groups of channels. Weights are taps x channels of depthwise ones, otherwise
/// filters x taps x channels of a group.
struct ByteConvParams {
  ByteWindows windows;
  const int8_t* weights;
  SumEpilogue epilogue;
};

enum class ByteBinaryOp : int32_t { add, subtract, multiply };

/// Sums, differences and products of quantized bytes.
struct ByteBinaryParams {
  const uint8_t* a;
  const uint8_t* b;
  uint8_t* out;
  ByteBinaryOp op;
  int32_t low;
  int32_t high;
  ZeroPointList a_zero;
  ZeroPointList b_zero;
  const void* out_zero;
  int32_t out_type;
  float a_scale;
  float b_scale;
  float out_scale;
  int64_t count;
  LoopSizes sizes;
  int64_t a_strides[max_axes];
  int64_t b_strides[max_axes];
};

/// Means of the pixels of each channel of quantized images.
struct ByteMeanParams {
  const uint8_t* input;
  uint8_t* out;
  ZeroPointList zero;
  const void* out_zero;
  int32_t out_type;
  int32_t low;
  int32_t high;
  float scale;
  float out_scale;
  int64_t rows;
  int64_t channels;  ///< rows of one image
  int64_t pixels;
  int64_t image_stride;
  int64_t channel_stride;
  int64_t pixel_stride;
};

/// Bytes through a table of 256, or that of their channel, which is index / inner % channels.
struct ByteLookupParams {
  const uint8_t* input;
  const uint8_t* tables;
  uint8_t* out;
  int64_t count;
  int64_t inner;
  int64_t channels;  ///< 1: one table
};

/// The range of all elements determines a scale and a zero point of uint8.
struct DynamicQuantizeParams {
  const void* input;
  float* extremes;  ///< of each of range_blocks blocks: the minima, then the maxima
  uint8_t* out;
  float* scale;         ///< may be null
  uint8_t* zero_point;  ///< may be null
  int32_t type;
  int64_t count;
};
/// Blocks of the first of both kernels.
constexpr int range_blocks = 64;

}  // namespace ortool::cuda
