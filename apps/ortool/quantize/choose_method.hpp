// Which calibration method suits a model: the one whose outputs keep closest to the float model's.
#pragma once

#include <string>
#include <vector>

#include "apps/ortool/quantize/quantize_context.hpp"
#include "libcore/quantize/methods.hpp"

namespace ortool {

struct MethodTrial {
  CalibrationMethod method = CalibrationMethod::mse;
  double sqnr_db = 0;  ///< of the worst output

  /// A gain below 3 dB over the least squared error says nothing about other samples.
  double preference() const { return sqnr_db + (method == CalibrationMethod::mse ? 3 : 0); }
};

struct MethodTrials {
  std::vector<MethodTrial> trials;  ///< the best one first
  std::vector<std::string> values;  ///< that have a range
};

/// Quantises copies of the prepared model by each method in turn, weights rounded to the nearest
/// levels, then by the recipe with the two whose outputs keep closest to the float model's, and
/// tells these two. Compares on at most 32 samples. What `choices` say of values holds in all.
MethodTrials try_methods(const QuantizeContext& context, const Model& prepared,
                         const Session& floats, const Calibration& calibration,
                         const PlanChoices& choices, CalibrationData& data);

}  // namespace ortool
