// Kernel table: every kernel with its parameters and the function that computes a block.
#pragma once

#include "providers/cuda/kernels/attention.hpp"
#include "providers/cuda/kernels/images.hpp"
#include "providers/cuda/kernels/indexing.hpp"
#include "providers/cuda/kernels/kernel_names.hpp"
#include "providers/cuda/kernels/rows.hpp"

// clang-format off
/// ROW(name, parameters, function): a comma in the function is inside its template arguments.
#define ORTOOL_CUDA_KERNELS(ROW)                                                                  \
  ROW(elementwise_f32, ElementwiseParams, (elementwise<float, StoresFloat>))                      \
  ROW(elementwise_f16, ElementwiseParams, (elementwise<float, StoresHalf>))                       \
  ROW(elementwise_any, ElementwiseParams, (elementwise<float, StoresAny>))                        \
  ROW(elementwise_f64, ElementwiseParams, (elementwise<double, StoresAny>))                       \
  ROW(elementwise_i64, ElementwiseParams, (elementwise<int64_t, StoresAny>))                      \
  ROW(copy_strided, CopyParams, (copy_strided))                                                   \
  ROW(pad, PadParams, (pad))                                                                      \
  ROW(fill, FillParams, (fill))                                                                   \
  ROW(range, RangeParams, (range))                                                                \
  ROW(trilu, TriluParams, (trilu))                                                                \
  ROW(reduce_rows_f32, ReduceParams, (reduce_rows<float, StoresFloat>))                           \
  ROW(reduce_rows_f16, ReduceParams, (reduce_rows<float, StoresHalf>))                            \
  ROW(reduce_rows_any, ReduceParams, (reduce_rows<float, StoresAny>))                             \
  ROW(reduce_rows_f64, ReduceParams, (reduce_rows<double, StoresAny>))                            \
  ROW(reduce_rows_i64, ReduceParams, (reduce_rows<int64_t, StoresAny>))                           \
  ROW(reduce_elements_f32, ReduceParams, (reduce_elements<float, StoresFloat>))                   \
  ROW(reduce_elements_f16, ReduceParams, (reduce_elements<float, StoresHalf>))                    \
  ROW(reduce_elements_any, ReduceParams, (reduce_elements<float, StoresAny>))                     \
  ROW(reduce_elements_f64, ReduceParams, (reduce_elements<double, StoresAny>))                    \
  ROW(reduce_elements_i64, ReduceParams, (reduce_elements<int64_t, StoresAny>))                   \
  ROW(log_sum_exp, ReduceParams, (reduce_log_sum_exp<double>))                                    \
  ROW(arg_extreme_real, ReduceParams, (arg_extreme<double>))                                      \
  ROW(arg_extreme_i64, ReduceParams, (arg_extreme<int64_t>))                                      \
  ROW(softmax_f32, SoftmaxParams, (softmax<float, StoresFloat>))                                  \
  ROW(softmax_f16, SoftmaxParams, (softmax<float, StoresHalf>))                                   \
  ROW(softmax_any, SoftmaxParams, (softmax<float, StoresAny>))                                    \
  ROW(softmax_f64, SoftmaxParams, (softmax<double, StoresAny>))                                   \
  ROW(hardmax, SoftmaxParams, (hardmax))                                                          \
  ROW(normalize_f32, NormParams, (normalize<float, StoresFloat>))                                 \
  ROW(normalize_f16, NormParams, (normalize<float, StoresHalf>))                                  \
  ROW(normalize_any, NormParams, (normalize<float, StoresAny>))                                   \
  ROW(normalize_f64, NormParams, (normalize<double, StoresAny>))                                  \
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
  ROW(pool_f32, PoolParams, (pool<float, StoresFloat>))                                           \
  ROW(pool_f16, PoolParams, (pool<float, StoresHalf>))                                            \
  ROW(pool_any, PoolParams, (pool<float, StoresAny>))                                             \
  ROW(pool_f64, PoolParams, (pool<double, StoresAny>))                                            \
  ROW(resize_f32, ResizeParams, (resize<float>))                                                  \
  ROW(resize_f64, ResizeParams, (resize<double>))                                                 \
  ROW(direct_conv_f32, ConvParams, (direct_conv<float, StoresFloat>))                             \
  ROW(direct_conv_any, ConvParams, (direct_conv<float, StoresAny>))                               \
  ROW(direct_conv_f64, ConvParams, (direct_conv<double, StoresAny>))                              \
  ROW(attention_row_f32, AttentionParams, (attention_row<StoresFloat>))                           \
  ROW(attention_row_f16, AttentionParams, (attention_row<StoresHalf>))                            \
  ROW(attention_row_any, AttentionParams, (attention_row<StoresAny>))                             \
  ROW(attention_tile_64_f32, AttentionParams, (attention_tile<StoresFloat, 64, 32>))              \
  ROW(attention_tile_64_f16, AttentionParams, (attention_tile<StoresHalf, 64, 32>))               \
  ROW(attention_tile_128_f32, AttentionParams, (attention_tile<StoresFloat, 128, 16>))            \
  ROW(attention_tile_128_f16, AttentionParams, (attention_tile<StoresHalf, 128, 16>))             \
  ROW(append_cache, CacheParams, (append_cache))                                                  \
  ROW(rotary_f32, RotaryParams, (rotary<StoresFloat>))                                            \
  ROW(rotary_any, RotaryParams, (rotary<StoresAny>))
// clang-format on
