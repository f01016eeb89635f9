// Memoization of weight refinement for repeated plans.
#pragma once

#include <map>
#include <string>

#include "libcore/quantize/scheme/insert_qdq.hpp"

namespace ortool {

/// Caches the results of another refiner by the name of the product's output and the quantized
/// weights it started from, so that many plans of copies of one model are cheap. Not thread-safe;
/// the other refiner must outlive this object.
class CachedRefiner : public PlanRefiner {
 public:
  explicit CachedRefiner(const PlanRefiner& refiner) : refiner_(refiner) {}

  QuantizedData round(const PlannedNode& planned, QuantizedData nearest) const override;
  Tensor correct(const PlannedNode& planned, const Tensor& bias,
                 const QuantizedData& codes) const override {
    return refiner_.correct(planned, bias, codes);
  }

 private:
  struct Rounded {
    Tensor nearest;
    Tensor scales;
    QuantizedData codes;
  };

  const PlanRefiner& refiner_;
  mutable std::map<std::string, Rounded, std::less<>> rounded_;
};

}  // namespace ortool
