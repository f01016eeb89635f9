// Parameters of the kernels: plain structs that travel to the device as they are.
#pragma once

#include <stdint.h>

#include "providers/cuda/kernels/element_params.hpp"

namespace ortool::cuda {

/// Of a block that computes a row.
constexpr int row_threads = 256;

/// Copies elements of `bytes` bytes between strided tensors.
struct CopyParams {
  const void* from;
  void* to;
  int32_t bytes;
  int64_t count;
  LoopSizes sizes;
  int64_t from_strides[max_axes];
  int64_t to_strides[max_axes];
};

enum class PadKind : int32_t { constant, reflect, edge, wrap };
struct PadParams {
  const void* from;
  const void* value;  ///< one element; null: zeros
  void* to;
  int32_t bytes;
  PadKind kind;
  int64_t count;
  LoopSizes sizes;  ///< of the result
  int64_t begins[max_axes];
  int64_t from_sizes[max_axes];
};

struct FillParams {
  void* to;
  int32_t bytes;
  int64_t count;
  uint64_t value;  ///< bits
};

enum class ReduceKind : int32_t {
  sum,
  mean,
  max,
  min,
  product,
  sum_square,
  l1,
  l2,
  log_sum,
  log_sum_exp,
  arg_max,
  arg_min,
};
struct ReduceParams {
  const void* input;
  void* output;
  int32_t input_type;
  int32_t output_type;
  ReduceKind kind;
  int32_t takes_last;  ///< arg_max, arg_min: of equal elements
  int64_t outputs;
  int64_t reduced;
  LoopSizes kept;
  int64_t kept_strides[max_axes];
  LoopSizes axes;
  int64_t strides[max_axes];
};

enum class SoftmaxKind : int32_t { softmax, log_softmax, hardmax };
struct SoftmaxParams {
  const void* input;
  void* output;
  int32_t input_type;
  int32_t output_type;
  SoftmaxKind kind;
  int64_t rows;
  int64_t size;
  int64_t inner;  ///< elements behind the axis
};

/// Normalizes rows: (x - mean) / sqrt(variance + epsilon) * scale + bias.
struct NormParams {
  const void* input;
  const void* skip;   ///< added to the input; may be null
  const void* scale;  ///< may be null
  const void* bias;   ///< may be null
  void* output;
  void* sum;           ///< input + skip; may be null
  void* mean;          ///< may be null
  void* inverse;       ///< 1 / sqrt(variance + epsilon); may be null
  int32_t type;        ///< of input, skip, output and sum
  int32_t scale_type;  ///< of scale and bias
  int32_t statistics_type;
  int32_t subtracts_mean;
  int32_t divides;  ///< false: subtracts the mean only
  float epsilon;
  int64_t rows;
  int64_t size;
  // The scale of element i of row r is number (r % row_period) * row_scales + i / inner.
  int64_t row_period;
  int64_t row_scales;
  int64_t inner;
};

/// y = gather(data, indices) along one axis.
struct GatherParams {
  const void* data;
  const void* indices;
  void* output;
  int32_t* status;
  int32_t status_value;
  int32_t bytes;
  int32_t index_type;
  int64_t outer;
  int64_t axis_size;
  int64_t index_count;
  int64_t inner;  ///< elements
};

/// GatherElements and ScatterElements.
struct GatherElementsParams {
  const void* from;
  const void* indices;
  void* to;
  int32_t* status;
  int32_t status_value;
  int32_t bytes;
  int32_t index_type;
  int32_t axis;
  int64_t axis_size;
  int64_t count;
  LoopSizes sizes;            ///< of the indices
  int64_t strides[max_axes];  ///< of the tensor that indices point into
};

/// GatherND and ScatterND: slices of `slice` elements.
struct GatherNdParams {
  const void* from;
  const void* indices;
  void* to;
  int32_t* status;
  int32_t status_value;
  int32_t bytes;
  int32_t index_type;
  int64_t count;  ///< of slices
  int64_t slices_per_batch;
  int64_t batch_stride;
  int64_t slice;
  LoopSizes indexed;
  int64_t strides[max_axes];
};

struct OneHotParams {
  const void* indices;
  const void* values;  ///< off, on
  void* output;
  int32_t index_type;
  int32_t bytes;
  int32_t counts_from_end;
  int64_t depth;
  int64_t inner;
  int64_t count;
};

struct RangeParams {
  void* output;
  int32_t type;
  double start;
  double step;
  int64_t integer_start;
  int64_t integer_step;
  int64_t count;
};

struct TriluParams {
  const void* from;
  void* to;
  int32_t bytes;
  int32_t upper;
  int64_t rows;
  int64_t columns;
  int64_t diagonal;
  int64_t count;
};

enum class PoolKind : int32_t { max, average, lp };
struct PoolParams {
  const void* input;
  void* output;
  void* indices;  ///< int64; may be null
  int32_t type;
  PoolKind kind;
  int32_t counts_pads;
  int32_t column_major;
  double norm;
  int64_t planes;
  int64_t inner;  ///< channels behind each pixel; with indices 1
  int64_t in[3];
  int64_t out[3];
  int64_t kernel[3];
  int64_t stride[3];
  int64_t dilation[3];
  int64_t pad_begin[3];
  int64_t pad_end[3];
};

/// Each result is a weighted sum over taps of up to `max_axes` axes.
struct ResizeParams {
  const void* input;
  void* output;
  int32_t type;
  int32_t bytes;
  int32_t copies;  ///< nearest: one tap, elements of any type
  float outside;
  int64_t count;
  LoopSizes sizes;  ///< of the result
  int64_t strides[max_axes];
  int32_t taps[max_axes];          ///< 0: the axis stays
  const int32_t* first[max_axes];  ///< taps indices an output; -1: outside
  const float* weights[max_axes];
};

struct TopKParams {
  const void* input;
  void* values;
  int64_t* indices;
  int32_t type;
  int32_t largest;
  int64_t rows;
  int64_t size;
  int64_t inner;
  int64_t k;
};

struct CumulativeParams {
  const void* input;
  void* output;
  int32_t type;
  int32_t multiplies;
  int32_t exclusive;
  int32_t reverse;
  int64_t lines;
  int64_t size;
  int64_t inner;
};

/// QuantizeLinear and DequantizeLinear; the scale of element i is number
/// (i / (axis_size * inner) * scales_per_outer) + (i / inner % axis_size) / block * inner_scales +
/// i % inner_scales.
struct QuantizeParams {
  const void* input;
  const void* scale;
  const void* zero_point;  ///< may be null
  void* output;
  int32_t input_type;
  int32_t scale_type;
  int32_t output_type;
  int32_t dequantizes;
  int32_t quotient_type;  ///< to which input / scale is rounded
  int64_t count;
  int64_t inner;
  int64_t axis_size;
  int64_t block;
  int64_t blocks;
  int32_t is_blocked;
  int32_t has_one_scale;
};

/// Rotates pairs of elements of heads by angles of their positions.
struct RotaryParams {
  const void* input;
  const void* cosines;  ///< rows of rotated / 2
  const void* sines;
  const void* positions;  ///< int64; may be null
  const void* lengths;    ///< int32 keys of each batch less 1, instead of positions; may be null
  void* output;
  int32_t* status;
  int32_t status_value;
  int32_t type;
  int32_t interleaved;
  int32_t has_one_position;  ///< positions[0] is that of the first token
  int32_t starts_at_zero;    ///< with lengths
  int32_t counts_from_end;   ///< negative positions do
  int64_t batch;
  int64_t length;
  int64_t heads;
  int64_t size;
  int64_t rotated;
  int64_t cache_rows;
  int64_t batch_rows;  ///< without positions: the row of a token
  int64_t length_rows;
  int64_t in_strides[3];  ///< batch, token, head
  int64_t out_strides[3];
};

/// Attention of queries to keys and values, elements of a head adjacent.
struct AttentionParams {
  const void* query;
  const void* key;
  const void* value;
  void* output;
  const void* mask;       ///< added to scores, or bool; may be null
  const float* key_mask;  ///< added too; may be null
  const void* lengths;    ///< keys of each batch, less `length_offset`; may be null
  const void* sinks;      ///< a further score of each head's softmax; may be null
  int32_t* status;        ///< with lengths: set where one is out of range
  int32_t status_value;
  int32_t type;  ///< of query, key, value and output
  int32_t mask_type;
  int32_t length_type;
  int32_t sink_type;
  int32_t is_causal;
  int32_t is_smooth;       ///< softmax with one more score, 0
  int32_t starts_at_zero;  ///< with lengths: queries are the first positions, not the last
  int32_t is_aligned;      ///< rows of operands start at multiples of 16 bytes
  float scale;
  float softcap;
  int64_t length_offset;
  int64_t left_window;  ///< -1: unlimited
  int64_t right_window;
  int64_t batch;
  int64_t query_heads;
  int64_t shared_heads;
  int64_t queries;
  int64_t keys;
  int64_t size;
  int64_t value_size;
  int64_t past;  ///< keys before the first query's own, without lengths
  int64_t mask_keys;
  int64_t query_strides[3];  ///< batch, head, row
  int64_t key_strides[3];
  int64_t value_strides[3];
  int64_t output_strides[3];
  int64_t mask_strides[3];      ///< batch, head, query
  int64_t key_mask_strides[2];  ///< batch, query
};

/// Appends rows to a cache batch x heads x rows x size, at a place that depends on the batch.
struct CacheParams {
  const void* past;  ///< may be null
  const void* now;
  const void* lengths;  ///< int32 rows of each batch with the new ones, less 1
  void* present;
  int32_t* status;
  int32_t status_value;
  int32_t bytes;
  int32_t starts_at_zero;
  int64_t batch;
  int64_t heads;
  int64_t size;
  int64_t rows;  ///< new ones
  int64_t past_rows;
  int64_t present_rows;
  int64_t total;  ///< most rows that a batch may have
  int64_t least_length;
  int64_t row_strides[3];  ///< of `now`: batch, head, row
};

/// Direct convolution, for what the library's call does not cover; three spatial axes.
struct ConvParams {
  const void* input;
  const void* weights;
  const void* bias;  ///< may be null
  void* output;
  int32_t type;
  int32_t transposed;
  int32_t has_relu;  ///< of depthwise convolutions
  int64_t batch;
  int64_t groups;
  int64_t in_channels;   ///< of a group
  int64_t out_channels;  ///< of a group
  int64_t in[3];
  int64_t out[3];
  int64_t kernel[3];
  int64_t stride[3];
  int64_t dilation[3];
  int64_t pad[3];
};

}  // namespace ortool::cuda
