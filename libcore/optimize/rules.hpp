// Every rewrite rule, by the file that holds it.
#pragma once

#include "libcore/optimize/rule.hpp"

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
Rule remove_known_where();
Rule remove_double_negation();
Rule remove_repeated_function();

// libcore/optimize/rules/merge_moves.cpp
Rule merge_transposes();
Rule merge_unsqueezes();
Rule merge_squeezes();
Rule merge_reshapes();
Rule merge_casts();
Rule merge_slices();
Rule merge_concats();

// libcore/optimize/rules/fuse_activation.cpp
Rule fuse_gelu();
Rule fuse_gelu_tanh();
Rule fuse_swish();

// libcore/optimize/rules/fuse_norm.cpp
Rule fuse_layer_norm();
Rule fuse_layer_norm_affine();
Rule fuse_rms_norm();
Rule fuse_norm_scale();
Rule fuse_norm_bias();
Rule fuse_skip_layer_norm();

// libcore/optimize/rules/fuse_attention.cpp
Rule fuse_attention();
Rule fuse_attention_scale();
Rule fuse_attention_heads();
Rule fuse_attention_groups();

}  // namespace ortool
