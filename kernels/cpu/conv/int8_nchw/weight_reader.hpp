// Reads single weights of an int8 convolution back from where they are packed, for rounding ties.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu/conv/int8_nchw/conv.hpp"
#include "kernels/cpu/gemm/int8/microkernel.hpp"

namespace ortool::cpu {

/// Some weights of one output channel: of input channels of its group, and of positions in the
/// kernel.
struct WeightRange {
  std::int64_t channel = 0;
  std::int64_t first_input = 0;
  std::int64_t inputs = 0;
  std::int64_t first_tap = 0;
  std::int64_t taps = 0;
};

class WeightReader {
 public:
  virtual ~WeightReader() = default;
  /// `out`: inputs × taps, signed, as after the flip.
  virtual void read(const WeightRange& range, std::int8_t* out) const = 0;
};

/// Of what pack_int8_conv packed.
class PackedInt8WeightReader : public WeightReader {
 public:
  /// `sizes` and `packed` must outlive this object.
  PackedInt8WeightReader(const ConvSizes& sizes, const std::byte* packed, Isa isa);

  void read(const WeightRange& range, std::int8_t* out) const override;

 private:
  void read_panel(const WeightRange& range, std::int8_t* out) const;

  const ConvSizes& sizes_;
  const std::int8_t* packed_;
  const Int8GemmFunctions& tile_;
  bool is_depthwise_;
};

}  // namespace ortool::cpu
