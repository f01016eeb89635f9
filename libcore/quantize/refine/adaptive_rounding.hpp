// Rounding weights up or down by what their layer's output is off by, instead of each to the
// nearest level.
#pragma once

#include <span>

#include "libcore/base/parallel/thread_pool.hpp"
#include "libcore/quantize/calibrate/input_moments.hpp"
#include "libcore/quantize/refine/weight_matrix.hpp"
#include "libcore/quantize/scheme/choose_scale.hpp"
#include "libcore/quantize/scheme/quantize_tensor.hpp"

namespace ortool {

struct ImprovedWeights {
  WeightLevels levels;
  /// The squared error of the layer's output, summed over the rows of the moments: with the nearest
  /// levels, and with these. Up to a common factor.
  double error_before = 0;
  double error_after = 0;
};

/// How long to look for better levels.
enum class RoundingEffort {
  quick,    ///< down from one start, one look at every pair
  thorough  ///< from both starts, over and over: some per cent less error in several times the time
};

/// Levels for `weights` with the scales of `nearest`, each the next above or below the weight, such
/// that the quantised layer's output on the inputs that `moments` summed differs least. The better
/// of two starts, the nearest levels and one where each weight makes up for those before (GPTQ,
/// E. Frantar et al., 2022), goes through cyclic coordinate descent (K. Behdin et al., "QuantEase",
/// 2023), held to two neighbours as AdaRound is (M. Nagel et al., 2020): each step moves
/// one weight, or two at once, to the better level, so the error never grows. A hundredth of the
/// mean square of the inputs is added to each, lest few samples are believed too much. Scales must
/// be one for all, or one an output channel. Outputs are spread over `workers`, each made by
/// itself: the bits do not depend on their number. Throws ErrorCode::invalid for other scales and
/// for moments of another layer.
ImprovedWeights improve_rounding(const Tensor& weights, const WeightMatrix& matrix,
                                 const WeightLevels& nearest, QuantizationType type,
                                 const InputMoments& moments, Workers& workers,
                                 RoundingEffort effort = RoundingEffort::quick);

}  // namespace ortool
