// The table of contents of the cpu provider: a line for each file of kernels.
#include "providers/cpu/kernel_list.hpp"

#include <atomic>
#include <deque>
#include <mutex>
#include <utility>

#include "libcore/base/error.hpp"
#include "providers/cpu/gemm/weight_only/matmul_nbits.hpp"
#include "providers/cpu/kernel_files.hpp"

namespace ortool::cpu {
namespace {

using KernelFiles = std::vector<std::span<const KernelRow>>;

KernelFiles built_in_kernels() {
  // clang-format off: one line a file
  return {
      activation_kernels(),
      arg_extreme_kernels(),
      arithmetic_kernels(),
      attention_kernels(),
      batch_normalization_kernels(),
      bitwise_kernels(),
      blocked_elementwise_kernels(),
      cast_kernels(),
      causal_conv_kernels(),
      center_crop_pad_kernels(),
      channel_lookup_kernels(),
      class_loss_kernels(),
      clip_kernels(),
      col2im_kernels(),
      comparison_kernels(),
      concat_kernels(),
      conv_blocked_kernels(),
      conv_kernels(),
      conv_transpose_kernels(),
      cumulative_kernels(),
      deform_conv_kernels(),
      depth_to_space_kernels(),
      det_kernels(),
      dropout_kernels(),
      dynamic_lstm_kernels(),
      einsum_kernels(),
      embed_layer_normalization_kernels(),
      experimental_kernels(),
      feature_rows_kernels(),
      gather_kernels(),
      gemm_kernels(),
      generator_kernels(),
      grid_sample_kernels(),
      image_decoder_kernels(),
      is_inf_kernels(),
      is_nan_kernels(),
      label_encoder_kernels(),
      label_maps_kernels(),
      layer_normalization_kernels(),
      linear_attention_kernels(),
      linear_model_kernels(),
      lp_pool_kernels(),
      matmul_kernels(),
      matmul_n_bits_kernels(),
      non_max_suppression_kernels(),
      normalization_kernels(),
      one_hot_kernels(),
      one_hot_encoder_kernels(),
      optimizer_steps_kernels(),
      optional_ops_kernels(),
      packed_movement_kernels(),
      pad_kernels(),
      pool_blocked_kernels(),
      pool_kernels(),
      prelu_kernels(),
      quantize_linear_kernels(),
      quantized_conv_blocked_kernels(),
      quantized_conv_kernels(),
      quantized_elementwise_kernels(),
      quantized_matmul_kernels(),
      quantized_mean_kernels(),
      random_kernels(),
      recurrent_kernels(),
      reduction_kernels(),
      regex_full_match_kernels(),
      region_pool_kernels(),
      reorder_kernels(),
      resize_kernels(),
      rotary_embedding_kernels(),
      scatter_kernels(),
      selection_kernels(),
      sequence_move_kernels(),
      sequence_ops_kernels(),
      sequence_pieces_kernels(),
      signal_weight_kernels(),
      skip_layer_normalization_kernels(),
      softmax_kernels(),
      spectrum_kernels(),
      strided_copy_kernels(),
      string_movement_kernels(),
      string_ops_kernels(),
      support_vectors_kernels(),
      swiglu_kernels(),
      tf_idf_vectorizer_kernels(),
      top_k_kernels(),
      tree_ensemble_kernels(),
      triangle_kernels(),
      trigonometry_kernels(),
      unary_math_kernels(),
      unique_kernels(),
      variadic_kernels(),
      view_kernels(),
  };
  // clang-format on
}

/// Every state of the list stays where it is, so that spans of it stay valid.
class KernelRegistry {
 public:
  KernelRegistry() { publish(built_in_kernels()); }

  std::span<const std::span<const KernelRow>> files() const {
    return *newest_.load(std::memory_order_acquire);
  }

  void add(std::span<const KernelRow> rows) {
    const std::lock_guard lock(mutex_);
    KernelFiles next = states_.back();
    next.push_back(rows);
    publish(std::move(next));
  }

 private:
  void publish(KernelFiles files) {
    states_.push_back(std::move(files));
    newest_.store(&states_.back(), std::memory_order_release);
  }

  std::mutex mutex_;
  std::deque<KernelFiles> states_;
  std::atomic<const KernelFiles*> newest_ = nullptr;
};

KernelRegistry& registry() {
  static KernelRegistry instance;
  return instance;
}

}  // namespace

std::span<const std::span<const KernelRow>> kernel_list() {
  return registry().files();
}

void register_kernels(std::span<const KernelRow> rows) {
  registry().add(rows);
}

const KernelRow& kernel_row(std::string_view name) {
  for (const std::span<const KernelRow> rows : kernel_list()) {
    for (const KernelRow& row : rows) {
      if (row.name == name) return row;
    }
  }
  ORTOOL_CHECK(false && "no kernel of this name");
}

}  // namespace ortool::cpu
