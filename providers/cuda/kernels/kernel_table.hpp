// Kernel table: every kernel with its parameters and the function that computes a block.
#pragma once

#include "providers/cuda/kernels/attention.hpp"
#include "providers/cuda/kernels/byte_sums.hpp"
#include "providers/cuda/kernels/element_vectors.hpp"
#include "providers/cuda/kernels/images.hpp"
#include "providers/cuda/kernels/indexing.hpp"
#include "providers/cuda/kernels/kernel_names.hpp"
#include "providers/cuda/kernels/norms.hpp"
#include "providers/cuda/kernels/quantized.hpp"
#include "providers/cuda/kernels/recurrent.hpp"
#include "providers/cuda/kernels/reductions.hpp"
#include "providers/cuda/kernels/tensor_attention.hpp"

// clang-format off
/// ROW(name, parameters, function): a comma in the function is inside its template arguments.
#define ORTOOL_CUDA_KERNELS(ROW)                                                                  \
  ROW(elementwise_f32, ElementwiseParams, (elementwise<float, FloatStore>))                      \
  ROW(elementwise_f16, ElementwiseParams, (elementwise<float, HalfStore>))                       \
  ROW(elementwise_any, ElementwiseParams, (elementwise<float, AnyStore>))                        \
  ROW(elementwise_f64, ElementwiseParams, (elementwise<double, AnyStore>))                       \
  ROW(elementwise_i64, ElementwiseParams, (elementwise<int64_t, AnyStore>))                      \
  ROW(copy_strided, CopyParams, (copy_strided))                                                   \
  ROW(pad, PadParams, (pad))                                                                      \
  ROW(fill, FillParams, (fill))                                                                   \
  ROW(range, RangeParams, (range))                                                                \
  ROW(trilu, TriluParams, (trilu))                                                                \
  ROW(reduce_rows_f32, ReduceParams, (reduce_rows<float, FloatStore>))                           \
  ROW(reduce_rows_f16, ReduceParams, (reduce_rows<float, HalfStore>))                            \
  ROW(reduce_rows_any, ReduceParams, (reduce_rows<float, AnyStore>))                             \
  ROW(reduce_rows_f64, ReduceParams, (reduce_rows<double, AnyStore>))                            \
  ROW(reduce_rows_i64, ReduceParams, (reduce_rows<int64_t, AnyStore>))                           \
  ROW(reduce_elements_f32, ReduceParams, (reduce_elements<float, FloatStore>))                   \
  ROW(reduce_elements_f16, ReduceParams, (reduce_elements<float, HalfStore>))                    \
  ROW(reduce_elements_any, ReduceParams, (reduce_elements<float, AnyStore>))                     \
  ROW(reduce_elements_f64, ReduceParams, (reduce_elements<double, AnyStore>))                    \
  ROW(reduce_elements_i64, ReduceParams, (reduce_elements<int64_t, AnyStore>))                   \
  ROW(log_sum_exp, ReduceParams, (reduce_log_sum_exp<double>))                                    \
  ROW(arg_extreme_real, ReduceParams, (arg_extreme<double>))                                      \
  ROW(arg_extreme_i64, ReduceParams, (arg_extreme<int64_t>))                                      \
  ROW(softmax_f32, SoftmaxParams, (softmax<float, FloatStore>))                                  \
  ROW(softmax_f16, SoftmaxParams, (softmax<float, HalfStore>))                                   \
  ROW(softmax_any, SoftmaxParams, (softmax<float, AnyStore>))                                    \
  ROW(softmax_f64, SoftmaxParams, (softmax<double, AnyStore>))                                   \
  ROW(hardmax, SoftmaxParams, (hardmax))                                                          \
  ROW(normalize_f32, NormParams, (normalize<float, FloatStore>))                                 \
  ROW(normalize_f16, NormParams, (normalize<float, HalfStore>))                                  \
  ROW(normalize_any, NormParams, (normalize<float, AnyStore>))                                   \
  ROW(normalize_f64, NormParams, (normalize<double, AnyStore>))                                  \
  ROW(gather, GatherParams, (gather))                                                             \
  ROW(gather_elements, GatherElementsParams, (gather_elements))                                   \
  ROW(scatter_elements, GatherElementsParams, (scatter_elements))                                 \
  ROW(gather_nd, GatherNdParams, (gather_nd))                                                     \
  ROW(scatter_nd, GatherNdParams, (scatter_nd))                                                   \
  ROW(one_hot, OneHotParams, (one_hot))                                                           \
  ROW(top_k_real, TopKParams, (top_k<double>))                                                    \
  ROW(top_k_i64, TopKParams, (top_k<int64_t>))                                                    \
  ROW(cumulative_f32, CumulativeParams, (cumulative<float>))                                      \
  ROW(cumulative_f64, CumulativeParams, (cumulative<double>))                                     \
  ROW(cumulative_i64, CumulativeParams, (cumulative<int64_t>))                                    \
  ROW(quantize, QuantizeParams, (quantize))                                                       \
  ROW(pool_f32, PoolParams, (pool<float, FloatStore>))                                           \
  ROW(pool_f16, PoolParams, (pool<float, HalfStore>))                                            \
  ROW(pool_any, PoolParams, (pool<float, AnyStore>))                                             \
  ROW(pool_f64, PoolParams, (pool<double, AnyStore>))                                            \
  ROW(resize_f32, ResizeParams, (resize<float>))                                                  \
  ROW(resize_f64, ResizeParams, (resize<double>))                                                 \
  ROW(direct_conv_f32, ConvParams, (direct_conv<float, FloatStore>))                             \
  ROW(direct_conv_any, ConvParams, (direct_conv<float, AnyStore>))                               \
  ROW(direct_conv_f64, ConvParams, (direct_conv<double, AnyStore>))                              \
  ROW(attention_row_f32, AttentionParams, (attention_row<FloatStore>))                           \
  ROW(attention_row_f16, AttentionParams, (attention_row<HalfStore>))                            \
  ROW(attention_row_any, AttentionParams, (attention_row<AnyStore>))                             \
  ROW(attention_tile_64_f32, AttentionParams, (attention_tile<FloatStore, 64, 32>))              \
  ROW(attention_tile_64_f16, AttentionParams, (attention_tile<HalfStore, 64, 32>))               \
  ROW(attention_tile_128_f32, AttentionParams, (attention_tile<FloatStore, 128, 16>))            \
  ROW(attention_tile_128_f16, AttentionParams, (attention_tile<HalfStore, 128, 16>))             \
  ROW(append_cache, CacheParams, (append_cache))                                                  \
  ROW(rotary_f32, RotaryParams, (rotary<FloatStore>))                                            \
  ROW(rotary_any, RotaryParams, (rotary<AnyStore>))                                              \
  ROW(elementwise_f32_vectors, ElementwiseParams, (elementwise_vectors<FloatStore>))             \
  ROW(elementwise_f16_vectors, ElementwiseParams, (elementwise_vectors<HalfStore>))              \
  ROW(normalize_f32_vectors, NormParams, (normalize_vectors<FloatStore, 8>))                     \
  ROW(normalize_f16_vectors, NormParams, (normalize_vectors<HalfStore, 4>))                      \
  ROW(attention_tensor_64, AttentionParams, (attention_tensor<64, 64>))                           \
  ROW(attention_tensor_128, AttentionParams, (attention_tensor<128, 32>))                         \
  ROW(depthwise_f16, ConvParams, (depthwise_conv<HalfStore>))                                     \
  ROW(depthwise_any, ConvParams, (depthwise_conv<AnyStore>))                                      \
  ROW(recurrent_steps_f32, RecurrentParams, (recurrent_steps<float, FloatStore>))                 \
  ROW(recurrent_steps_short, RecurrentParams, (recurrent_steps<float, ShortStore>))               \
  ROW(recurrent_steps_f64, RecurrentParams, (recurrent_steps<double, DoubleStore>))               \
  ROW(recurrent_cell_f32, RecurrentParams, (recurrent_cell<float, FloatStore>))                   \
  ROW(recurrent_cell_short, RecurrentParams, (recurrent_cell<float, ShortStore>))                 \
  ROW(recurrent_cell_f64, RecurrentParams, (recurrent_cell<double, DoubleStore>))                 \
  ROW(recurrent_start_f32, RecurrentParams, (recurrent_start<float, FloatStore>))                 \
  ROW(recurrent_start_short, RecurrentParams, (recurrent_start<float, ShortStore>))               \
  ROW(recurrent_start_f64, RecurrentParams, (recurrent_start<double, DoubleStore>))               \
  ROW(pack_bytes, PackBytesParams, (pack_bytes))                                                  \
  ROW(sum_bytes, SumBytesParams, (sum_bytes))                                                     \
  ROW(multiply_bytes, MultiplyBytesParams, (multiply_bytes))                                      \
  ROW(window_rows, WindowRowsParams, (window_rows))                                               \
  ROW(requantize_sums, RequantizeParams, (requantize_sums))                                       \
  ROW(grouped_byte_conv, ByteConvParams, (grouped_byte_conv))                                     \
  ROW(depthwise_byte_conv, ByteConvParams, (depthwise_byte_conv))                                 \
  ROW(byte_binary, ByteBinaryParams, (byte_binary))                                               \
  ROW(byte_mean, ByteMeanParams, (byte_mean))                                                     \
  ROW(byte_lookup, ByteLookupParams, (byte_lookup))                                               \
  ROW(value_range, DynamicQuantizeParams, (value_range))                                          \
  ROW(dynamic_quantize, DynamicQuantizeParams, (dynamic_quantize))
// clang-format on
