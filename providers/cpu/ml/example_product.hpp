// Example product: multiplies examples by rows of weights that are packed once.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cpu/gemm/f32/gemm.hpp"
#include "libcore/base/memory/aligned_buffer.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool::cpu {

/// Copies share the packed weights.
class ExampleProduct {
 public:
  /// `weights` is count × features.
  ExampleProduct(const std::vector<float>& weights, std::int64_t count, std::int64_t features,
                 Isa isa, const CompileContext& context)
      : count_(count),
        features_(features),
        isa_(isa),
        packed_(std::make_shared<AlignedBuffer>(packed_b_bytes(features, count, isa), context.cap,
                                                "packed weights")) {
    pack_b(features, count, {weights.data(), features, true}, isa,
           reinterpret_cast<float*>(packed_->data()), context.workers);
  }

  std::int64_t count() const { return count_; }
  std::int64_t packed_bytes() const { return packed_b_bytes(features_, count_, isa_); }
  std::int64_t workspace_bytes(std::int64_t rows) const {
    return gemm_workspace_bytes({rows, count_, features_}, isa_);
  }

  /// out[rows, count] = x[rows, features] times the transposed weights.
  void run(const float* x, std::int64_t rows, const Epilogue& epilogue, float* out, void* workspace,
           Workers& workers) const {
    gemm({rows, count_, features_}, {x, features_, false},
         reinterpret_cast<const float*>(packed_->data()), out, count_, epilogue, isa_, workspace,
         workers);
  }

 private:
  std::int64_t count_;
  std::int64_t features_;
  Isa isa_;
  std::shared_ptr<AlignedBuffer> packed_;
};

}  // namespace ortool::cpu
