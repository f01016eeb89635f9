// Provider settings: the options of the cuda provider.
#pragma once

#include <cstdint>
#include <string_view>

#include "providers/cuda/plan/plan_settings.hpp"

namespace ortool::cuda {

struct ProviderSettings {
  std::int64_t device = 0;
  std::int64_t memory_limit = 0;  ///< bytes; 0: none
  PlanSettings plan;
};

/// Throws ErrorCode::invalid for unknown keys and wrong values.
ProviderSettings read_settings(std::string_view options);

}  // namespace ortool::cuda
