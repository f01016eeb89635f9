// Kernel names: the identifiers of all kernels, for code that only launches them.
#pragma once

#include <stdint.h>

// clang-format off
/// In the order of kernel_table.hpp.
#define ORTOOL_CUDA_KERNEL_NAMES(ROW) \
    ROW(elementwise_f32) ROW(elementwise_f16) ROW(elementwise_any) ROW(elementwise_f64) \
    ROW(elementwise_i64) ROW(copy_strided) ROW(pad) ROW(fill) ROW(range) ROW(trilu) \
    ROW(reduce_rows_f32) ROW(reduce_rows_f16) ROW(reduce_rows_any) ROW(reduce_rows_f64) \
    ROW(reduce_rows_i64) ROW(reduce_elements_f32) ROW(reduce_elements_f16) \
    ROW(reduce_elements_any) ROW(reduce_elements_f64) ROW(reduce_elements_i64) \
    ROW(log_sum_exp) ROW(arg_extreme_real) ROW(arg_extreme_i64) ROW(softmax_f32) \
    ROW(softmax_f16) ROW(softmax_any) ROW(softmax_f64) ROW(hardmax) ROW(normalize_f32) \
    ROW(normalize_f16) ROW(normalize_any) ROW(normalize_f64) ROW(gather) ROW(gather_elements) \
    ROW(scatter_elements) ROW(gather_nd) ROW(scatter_nd) ROW(one_hot) ROW(top_k_real) ROW(top_k_i64) ROW(cumulative_f32) \
    ROW(cumulative_f64) ROW(cumulative_i64) ROW(quantize) ROW(pool_f32) ROW(pool_f16) \
    ROW(pool_any) ROW(pool_f64) ROW(resize_f32) ROW(resize_f64) ROW(direct_conv_f32) \
    ROW(direct_conv_any) ROW(direct_conv_f64) ROW(attention_row_f32) ROW(attention_row_f16) \
    ROW(attention_row_any) ROW(attention_tile_64_f32) ROW(attention_tile_64_f16) \
    ROW(attention_tile_128_f32) ROW(attention_tile_128_f16) ROW(append_cache) ROW(rotary_f32) \
    ROW(rotary_any) ROW(elementwise_f32_vectors) ROW(elementwise_f16_vectors) \
    ROW(normalize_f32_vectors) ROW(normalize_f16_vectors) \
    ROW(attention_tensor_64) ROW(attention_tensor_128) ROW(depthwise_f16) ROW(depthwise_any) \
    ROW(recurrent_steps_f32) ROW(recurrent_steps_short) ROW(recurrent_steps_f64) \
    ROW(recurrent_cell_f32) ROW(recurrent_cell_short) ROW(recurrent_cell_f64) \
    ROW(recurrent_start_f32) ROW(recurrent_start_short) ROW(recurrent_start_f64) \
    ROW(pack_bytes) ROW(sum_bytes) ROW(multiply_bytes) ROW(window_rows) ROW(requantize_sums) \
    ROW(grouped_byte_conv) ROW(depthwise_byte_conv) ROW(byte_binary) ROW(byte_mean) \
    ROW(byte_lookup) ROW(value_range) ROW(dynamic_quantize)
// clang-format on

namespace ortool::cuda {

enum class KernelId : int32_t {
#define ORTOOL_KERNEL_ID(name) name,
  ORTOOL_CUDA_KERNEL_NAMES(ORTOOL_KERNEL_ID)
#undef ORTOOL_KERNEL_ID
      count,
};

/// Its name in the module of device code, after "ortool_": "softmax_f32".
const char* kernel_name(KernelId kernel);

}  // namespace ortool::cuda
