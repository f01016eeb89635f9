// Rounding that was done once is not done again for the same levels.
#pragma once

#include <map>
#include <string>

#include "libcore/quantize/scheme/insert_qdq.hpp"

namespace ortool {

/// Remembers what another refiner made of weights, by the name of their product's result and the
/// levels it began with, so that many plans of copies of one model can be written. One thread at a
/// time; the other refiner outlives it.
class CachedRefiner : public PlanRefiner {
 public:
  explicit CachedRefiner(const PlanRefiner& refiner) : refiner_(refiner) {}

  WeightLevels round(const PlannedNode& planned, WeightLevels nearest) const override;
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const WeightLevels& levels) const override {
    return refiner_.correct(planned, bias, levels);
  }

 private:
  struct Rounded {
    Tensor nearest;
    Tensor scales;
    WeightLevels levels;
  };

  const PlanRefiner& refiner_;
  mutable std::map<std::string, Rounded, std::less<>> rounded_;
};

}  // namespace ortool
