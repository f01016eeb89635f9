// Adaptive rounding: weights are rounded up or down to minimize their layer's output error.
#pragma once

#include <span>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/quantize/calibrate/input_moments.hpp"
#include "libcore/quantize/refine/weight_matrix.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"

namespace ortool {

struct ImprovedWeights {
  QuantizedData codes;
  /// The squared error of the layer's output, summed over the rows of the moments: with nearest
  /// rounding, and with these weights. Up to a common factor.
  double error_before = 0;
  double error_after = 0;
};

/// The search effort.
enum class RoundingEffort {
  quick,    ///< one start, each pair considered once
  thorough  ///< both starts, until convergence: a few percent less error in several times the time
};

/// Quantizes `weights` with the scales of `nearest`, rounding each up or down such that the
/// quantized layer's output error on the inputs in `moments` is least. Starts from the better of
/// nearest rounding and GPTQ, where each weight compensates for the errors of earlier ones (E.
/// Frantar et al., 2022), and refines it by cyclic coordinate descent (K. Behdin et al.,
/// "QuantEase", 2023), restricted to the two neighbors as in AdaRound (M. Nagel et al., 2020): each
/// step flips one or two weights to the better neighbor, so the error never grows. One percent of
/// the mean square of the inputs is added to the diagonal as damping against overfitting to few
/// samples. Scales must be per tensor or per output channel. Outputs are distributed over `workers`
/// and independent of each other, so the result does not depend on the number of threads. Throws
/// ErrorCode::invalid for other scales and for moments of another layer.
ImprovedWeights improve_rounding(const Tensor& weights, const WeightMatrix& matrix,
                                 const QuantizedData& nearest, QuantizationType type,
                                 const InputMoments& moments, Workers& workers,
                                 RoundingEffort effort = RoundingEffort::quick);

}  // namespace ortool
