// What each file of kernel rows offers to the kernel list.
#pragma once

#include <span>

#include "providers/cpu/kernel_list.hpp"

namespace ortool::cpu {

std::span<const KernelRow> activation_kernels();
std::span<const KernelRow> arg_extreme_kernels();
std::span<const KernelRow> arithmetic_kernels();
std::span<const KernelRow> attention_kernels();
std::span<const KernelRow> batch_normalization_kernels();
std::span<const KernelRow> bitwise_kernels();
std::span<const KernelRow> blocked_elementwise_kernels();
std::span<const KernelRow> cast_kernels();
std::span<const KernelRow> causal_conv_kernels();
std::span<const KernelRow> center_crop_pad_kernels();
std::span<const KernelRow> channel_lookup_kernels();
std::span<const KernelRow> class_loss_kernels();
std::span<const KernelRow> clip_kernels();
std::span<const KernelRow> col2im_kernels();
std::span<const KernelRow> comparison_kernels();
std::span<const KernelRow> concat_kernels();
std::span<const KernelRow> conv_blocked_kernels();
std::span<const KernelRow> conv_kernels();
std::span<const KernelRow> conv_transpose_kernels();
std::span<const KernelRow> cumulative_kernels();
std::span<const KernelRow> deform_conv_kernels();
std::span<const KernelRow> depth_to_space_kernels();
std::span<const KernelRow> det_kernels();
std::span<const KernelRow> dropout_kernels();
std::span<const KernelRow> dynamic_lstm_kernels();
std::span<const KernelRow> einsum_kernels();
std::span<const KernelRow> embed_layer_normalization_kernels();
std::span<const KernelRow> experimental_kernels();
std::span<const KernelRow> feature_rows_kernels();
std::span<const KernelRow> gather_kernels();
std::span<const KernelRow> gemm_kernels();
std::span<const KernelRow> generator_kernels();
std::span<const KernelRow> grid_sample_kernels();
std::span<const KernelRow> image_decoder_kernels();
std::span<const KernelRow> is_inf_kernels();
std::span<const KernelRow> is_nan_kernels();
std::span<const KernelRow> label_encoder_kernels();
std::span<const KernelRow> label_maps_kernels();
std::span<const KernelRow> layer_normalization_kernels();
std::span<const KernelRow> linear_attention_kernels();
std::span<const KernelRow> linear_model_kernels();
std::span<const KernelRow> lp_pool_kernels();
std::span<const KernelRow> matmul_kernels();
std::span<const KernelRow> non_max_suppression_kernels();
std::span<const KernelRow> normalization_kernels();
std::span<const KernelRow> one_hot_kernels();
std::span<const KernelRow> one_hot_encoder_kernels();
std::span<const KernelRow> optimizer_steps_kernels();
std::span<const KernelRow> optional_ops_kernels();
std::span<const KernelRow> packed_movement_kernels();
std::span<const KernelRow> pad_kernels();
std::span<const KernelRow> pool_blocked_kernels();
std::span<const KernelRow> pool_kernels();
std::span<const KernelRow> prelu_kernels();
std::span<const KernelRow> quantize_linear_kernels();
std::span<const KernelRow> quantized_conv_blocked_kernels();
std::span<const KernelRow> quantized_conv_kernels();
std::span<const KernelRow> quantized_elementwise_kernels();
std::span<const KernelRow> quantized_matmul_kernels();
std::span<const KernelRow> quantized_mean_kernels();
std::span<const KernelRow> random_kernels();
std::span<const KernelRow> recurrent_kernels();
std::span<const KernelRow> reduction_kernels();
std::span<const KernelRow> regex_full_match_kernels();
std::span<const KernelRow> region_pool_kernels();
std::span<const KernelRow> reorder_kernels();
std::span<const KernelRow> resize_kernels();
std::span<const KernelRow> rotary_embedding_kernels();
std::span<const KernelRow> scatter_kernels();
std::span<const KernelRow> selection_kernels();
std::span<const KernelRow> sequence_move_kernels();
std::span<const KernelRow> sequence_ops_kernels();
std::span<const KernelRow> sequence_pieces_kernels();
std::span<const KernelRow> signal_weight_kernels();
std::span<const KernelRow> skip_layer_normalization_kernels();
std::span<const KernelRow> softmax_kernels();
std::span<const KernelRow> spectrum_kernels();
std::span<const KernelRow> strided_copy_kernels();
std::span<const KernelRow> string_movement_kernels();
std::span<const KernelRow> string_ops_kernels();
std::span<const KernelRow> support_vectors_kernels();
std::span<const KernelRow> swiglu_kernels();
std::span<const KernelRow> tf_idf_vectorizer_kernels();
std::span<const KernelRow> top_k_kernels();
std::span<const KernelRow> tree_ensemble_kernels();
std::span<const KernelRow> triangle_kernels();
std::span<const KernelRow> trigonometry_kernels();
std::span<const KernelRow> unary_math_kernels();
std::span<const KernelRow> unique_kernels();
std::span<const KernelRow> variadic_kernels();
std::span<const KernelRow> view_kernels();

}  // namespace ortool::cpu
