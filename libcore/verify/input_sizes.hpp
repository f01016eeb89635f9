// Sizes for the free dimensions of made-up inputs, within a budget of memory and work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/stop_token.hpp"
#include "libcore/infer/least_sizes.hpp"

namespace ortool {

/// Chooses sizes for the runs of a comparison: the least that the model's shape rules accept, and
/// where the model refuses those in a run, larger ones that stay within the budget.
class InputSizeChoice {
 public:
  using Load = std::function<std::unique_ptr<Model>()>;

  /// `load` gives the model afresh; `given` are sizes that are known. `cap` bounds the budget.
  InputSizeChoice(Load load, InputSizes given, const MemoryCap& cap, const StopToken& stop);

  /// What to try for run `index`, in order. Free dimensions change with it. Empty sizes where the
  /// model has no free dimensions.
  std::vector<InputSizes> for_run(int index) const;
  /// Whether a run with these sizes stays within the budget, as far as that can be told.
  bool is_within_budget(const InputSizes& sizes) const;

 private:
  InputSizes at_least(std::int64_t size) const;

  Load load_;
  InputSizes given_;
  const MemoryCap& cap_;
  LeastSizes least_;
};

}  // namespace ortool
