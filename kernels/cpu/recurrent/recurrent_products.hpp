// Recurrent products: the interface for any weight format, and the float and double implementation.
#pragma once

#include <cstdint>

#include "kernels/cpu/recurrent/recurrent.hpp"

namespace ortool::cpu {

/// Number of elements of the packed weights W and R of all directions. T: float, double.
template <typename T>
std::int64_t packed_recurrent_elements(const RecurrentLayerParams& params, std::int64_t input,
                                       std::int64_t hidden, Isa isa);

/// Packs W [directions, gates * hidden, input] and R [directions, gates * hidden, hidden].
template <typename T>
void pack_recurrent(const RecurrentLayerParams& params, std::int64_t input, std::int64_t hidden,
                    const T* w, const T* r, Isa isa, T* out, Workers& workers);

/// Products with weights of the input's type: packed panels for float, plain sums for double.
template <typename T>
class PackedRecurrentProducts : public RecurrentProducts<T> {
 public:
  /// `packed` is the output of pack_recurrent, or null if only sizes are queried.
  PackedRecurrentProducts(const RecurrentLayerParams& params, std::int64_t input,
                          std::int64_t hidden, Isa isa, const T* packed)
      : params_(params), input_(input), hidden_(hidden), isa_(isa), packed_(packed) {}

  std::int64_t workspace_bytes(RecurrentFactor factor, std::int64_t rows) const override;
  void multiply(RecurrentFactor factor, std::int64_t direction, std::int64_t rows, const T* from,
                const T* bias, T* out, void* workspace, Workers& workers) const override;

 private:
  const RecurrentLayerParams& params_;
  std::int64_t input_;
  std::int64_t hidden_;
  Isa isa_;
  const T* packed_;
};

}  // namespace ortool::cpu
