// All rewrite rules, listed by source file.
#pragma once

#include "libcore/optimize/rewrite/rule.hpp"

namespace ortool {

// libcore/optimize/rules/remove_no_ops.cpp
Rule remove_identity();
Rule remove_dropout();
Rule remove_same_cast();
Rule remove_same_reshape();
Rule remove_same_transpose();
Rule remove_same_expand();
Rule remove_same_slice();
Rule remove_single_operand();
Rule remove_empty_pad();
Rule remove_same_resize();
Rule remove_boundless_clip();

// libcore/optimize/rules/remove_neutral.cpp
Rule remove_neutral_operand();
Rule remove_zero_addend();
Rule remove_known_where();
Rule remove_double_negation();
Rule remove_repeated_function();

// libcore/optimize/rules/remove_expand.cpp
Rule remove_broadcast_expand();

// libcore/optimize/rules/merge_moves.cpp
Rule merge_transposes();
Rule merge_unsqueezes();
Rule merge_squeezes();
Rule merge_reshapes();
Rule merge_casts();
Rule merge_slices();
Rule merge_concats();

// libcore/optimize/rules/fuse_gelu.cpp
Rule fuse_gelu();
Rule fuse_gelu_tanh();

// libcore/optimize/rules/fuse_activation.cpp
Rule fuse_swish();
Rule fuse_hard_swish();
Rule fuse_hard_sigmoid();
Rule fuse_hard_sigmoid_product();
Rule fuse_mish();

// libcore/optimize/rules/fuse_softmax.cpp
Rule fuse_softmax();
Rule fuse_log_softmax();

// libcore/optimize/rules/fold_channels.cpp
Rule fold_batch_norm();
Rule fold_batch_norm_before();
Rule fold_channel_operand();

// libcore/optimize/rules/merge_channels.cpp
Rule merge_batch_norms();
Rule merge_batch_norm_operand();
Rule merge_operand_batch_norm();
Rule fold_batch_norm_product();

// libcore/optimize/rules/fuse_pad.cpp
Rule fuse_pad();

// libcore/optimize/rules/fuse_product.cpp
Rule fuse_matmul_add();
Rule fuse_matmul_transpose();
Rule fuse_gemm_transpose();
Rule fuse_gemm_scale();

// libcore/optimize/rules/replace_einsum.cpp
Rule replace_einsum();

// libcore/optimize/rules/fuse_matmul_add_reshape.cpp
Rule fuse_matmul_add_reshape();

// libcore/optimize/rules/merge_factors.cpp
Rule merge_factors();
Rule fold_product_scale();

// libcore/optimize/rules/concat_slices.cpp
Rule take_joined_parts();

// libcore/optimize/rules/move_transposes.cpp
Rule cancel_transposes();

// libcore/optimize/rules/transposed_reductions.cpp
Rule turn_reduction();
Rule turn_arg_extreme();
Rule turn_softmax();

// libcore/optimize/rules/move_quantization.cpp
Rule remove_requantization();
Rule move_bytes();

// libcore/optimize/rules/integer_operators.cpp
Rule fuse_qlinear_conv();
Rule fuse_qlinear_matmul();
Rule fuse_matmul_integer();
Rule move_byte_windows();

// libcore/optimize/rules/fuse_channel_norm.cpp
Rule fuse_instance_norm();
Rule fuse_instance_norm_scale();
Rule fuse_instance_norm_bias();
Rule fuse_group_norm();

// libcore/optimize/rules/fuse_embedding.cpp
Rule fuse_embed_layer_norm();

// libcore/optimize/rules/fuse_norm.cpp
Rule fuse_layer_norm();
Rule fuse_layer_norm_affine();
Rule fuse_rms_norm();
Rule fuse_norm_scale();
Rule fuse_norm_bias();
Rule fuse_skip_layer_norm();

// libcore/optimize/rules/fuse_attention.cpp
Rule fuse_attention();

// libcore/optimize/rules/fuse_attention_heads.cpp
Rule fuse_attention_scale();
Rule fuse_attention_heads();
Rule fuse_attention_groups();
Rule fuse_attention_cache();
Rule move_rotary();

// libcore/optimize/rules/fuse_attention_mask.cpp
Rule fuse_causal_mask();
Rule spread_attention_mask();

// libcore/optimize/rules/fuse_rotary.cpp
Rule fuse_rotary_pairs();
Rule fuse_rotary_halves();

// libcore/optimize/rules/fuse_rotary_tables.cpp
Rule fuse_rotary_gathered();
Rule fuse_rotary_fixed();

// libcore/optimize/rules/replace_output_shape.cpp
Rule replace_output_shape();

// libcore/optimize/rules/trim_conv_window.cpp
Rule trim_conv_window();

}  // namespace ortool
