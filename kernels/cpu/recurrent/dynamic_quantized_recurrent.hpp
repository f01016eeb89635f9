// Dynamically quantized recurrent layers: weights are int8, inputs and states are quantized while
// the layer runs.
#pragma once

#include <cstdint>

#include "kernels/cpu/recurrent/recurrent.hpp"

namespace ortool::cpu {

/// A factor of all directions: levels [directions, depth, columns], signed or not, with a scale and
/// a zero point a direction or a column of it.
struct RecurrentLevels {
  const std::uint8_t* levels = nullptr;
  bool is_signed = false;
  const float* scales = nullptr;
  std::int64_t scale_count = 0;
  const std::uint8_t* zero_points = nullptr;  ///< null: zero
  std::int64_t zero_point_count = 0;
};

/// Bytes of W and R, once packed.
std::int64_t packed_dynamic_bytes(const RecurrentLayerForm& form, std::int64_t input,
                                  std::int64_t hidden, Isa isa);

/// Packs both into `out`, 64-byte aligned.
void pack_dynamic(const RecurrentLayerForm& form, std::int64_t input, std::int64_t hidden,
                  const RecurrentLevels& w, const RecurrentLevels& r, Isa isa, std::byte* out);

/// Products in int32 by levels. The inputs of all steps have one scale and zero point, the states
/// of all sequences others at each step, by their ranges as dynamic_quantize takes them. The same
/// bits on every level and for any number of threads. For cells without late rows.
class DynamicRecurrentProducts : public RecurrentProducts<float> {
 public:
  /// `packed` is what pack_dynamic wrote; null where only sizes are asked for.
  DynamicRecurrentProducts(const RecurrentLayerForm& form, std::int64_t input, std::int64_t hidden,
                           Isa isa, const std::byte* packed)
      : form_(form), input_(input), hidden_(hidden), isa_(isa), packed_(packed) {}

  std::int64_t workspace_bytes(RecurrentFactor factor, std::int64_t rows) const override;
  void multiply(RecurrentFactor factor, std::int64_t direction, std::int64_t rows,
                const float* from, const float* bias, float* out, void* workspace,
                Workers& workers) const override;

 private:
  std::int64_t depth(RecurrentFactor factor) const {
    return factor == RecurrentFactor::input ? input_ : hidden_;
  }

  const RecurrentLayerForm& form_;
  std::int64_t input_;
  std::int64_t hidden_;
  Isa isa_;
  const std::byte* packed_;
};

}  // namespace ortool::cpu
