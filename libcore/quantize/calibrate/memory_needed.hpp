// How little memory a model can be quantised in, by an estimate.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

struct QuantizeWork {
  std::int64_t records = 0;     ///< values that are calibrated, see Calibration::records()
  bool runs_models = true;      ///< float and quantised, on data; false: weights are all it reads
  bool tries_variants = false;  ///< a recipe that makes several models and runs them all
};

/// Bytes of tensors that are enough to quantise `model`: up to some three times what it comes to,
/// since that depends on the kernels that are chosen. The model's inputs have the sizes of the
/// largest sample and its shapes have been inferred; what is still unknown counts nothing.
std::int64_t memory_needed(const Model& model, const QuantizeWork& work);

}  // namespace ortool
