// Memory estimate for quantizing a model.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

struct QuantizeWork {
  std::int64_t records = 0;     ///< calibrated values, see Calibration::records()
  bool runs_models = true;      ///< float and quantized, on data; false: only weights are read
  bool tries_variants = false;  ///< the recipe builds and runs several models
};

/// The number of bytes of tensors that suffices to quantize `model`: up to about three times the
/// actual need, which depends on the kernels chosen. The model's inputs must have the sizes of the
/// largest sample, and its shapes must have been inferred; unknown sizes count as nothing.
std::int64_t memory_needed(const Model& model, const QuantizeWork& work);

}  // namespace ortool
