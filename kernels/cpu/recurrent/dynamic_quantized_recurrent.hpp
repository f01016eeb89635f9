// Dynamically quantized recurrent layers: int8 weights; inputs and states quantized at run time.
#pragma once

#include <cstdint>

#include "kernels/cpu/recurrent/recurrent.hpp"

namespace ortool::cpu {

/// A factor of all directions: int8 or uint8 values [directions, depth, columns] with scales and
/// zero points per direction or per column.
struct QuantizedRecurrentFactor {
  const std::uint8_t* codes = nullptr;
  bool is_signed = false;
  const float* scales = nullptr;
  std::int64_t scale_count = 0;
  const std::uint8_t* zero_points = nullptr;  ///< null: all 0
  std::int64_t zero_point_count = 0;
};

/// Size of the packed W and R in bytes.
std::int64_t packed_dynamic_bytes(const RecurrentLayerParams& params, std::int64_t input,
                                  std::int64_t hidden, Isa isa);

/// Packs both into `out`, 64-byte aligned.
void pack_dynamic(const RecurrentLayerParams& params, std::int64_t input, std::int64_t hidden,
                  const QuantizedRecurrentFactor& w, const QuantizedRecurrentFactor& r, Isa isa,
                  std::byte* out);

/// Int8 products accumulated in int32. The inputs of all steps share a scale and zero point; at
/// each step the states of all sequences share others. Both follow from the value range, as in
/// dynamic_quantize. Bit-identical on all instruction sets and for any number of threads. For cells
/// without late rows.
class DynamicRecurrentProducts : public RecurrentProducts<float> {
 public:
  /// `packed` is the output of pack_dynamic, or null if only sizes are queried.
  DynamicRecurrentProducts(const RecurrentLayerParams& params, std::int64_t input,
                           std::int64_t hidden, Isa isa, const std::byte* packed)
      : params_(params), input_(input), hidden_(hidden), isa_(isa), packed_(packed) {}

  std::int64_t workspace_bytes(RecurrentFactor factor, std::int64_t rows) const override;
  void multiply(RecurrentFactor factor, std::int64_t direction, std::int64_t rows,
                const float* from, const float* bias, float* out, void* workspace,
                Workers& workers) const override;

 private:
  std::int64_t depth(RecurrentFactor factor) const {
    return factor == RecurrentFactor::input ? input_ : hidden_;
  }

  const RecurrentLayerParams& params_;
  std::int64_t input_;
  std::int64_t hidden_;
  Isa isa_;
  const std::byte* packed_;
};

}  // namespace ortool::cpu
