// Input sizes: values for the free dimensions of random inputs, within limits on memory and work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/infer/least_sizes.hpp"

namespace ortool {

/// Chooses sizes for the runs of a comparison: the smallest that the model's shape rules accept,
/// and if the model rejects those at run time, larger ones within the limits.
class InputSizeChoice {
 public:
  using Load = std::function<std::unique_ptr<Model>()>;

  /// `load` loads a fresh copy of the model; `given` are sizes that are fixed. `cap` bounds the
  /// limits.
  InputSizeChoice(Load load, InputSizes given, const MemoryCap& cap, const StopToken& stop);

  /// The candidates for run `index`, in order. Free dimensions vary with it. Empty sizes when the
  /// model has no free dimensions.
  std::vector<InputSizes> for_run(int index) const;
  /// Whether a run with these sizes is within the limits, as far as that is known.
  bool is_within_budget(const InputSizes& sizes) const;

 private:
  InputSizes at_least(std::int64_t size) const;

  Load load_;
  InputSizes given_;
  const MemoryCap& cap_;
  LeastSizes least_;
};

}  // namespace ortool
