// The provider that runs every operator on the processor.
#pragma once

#include <memory>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Kernels up to the level `most`, which must not be above what the processor has.
std::shared_ptr<const Provider> make_cpu_provider(cpu::Isa most = cpu::best_isa());

}  // namespace ortool
