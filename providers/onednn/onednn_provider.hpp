// The provider that computes products, convolutions and pools with oneDNN.
#pragma once

#include <memory>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// With oneDNN's kernels up to the level `most`. It is not available, and says why, in a build
/// without oneDNN 2, and where oneDNN was used at another level before, which it keeps for the
/// whole process.
std::shared_ptr<const Provider> make_onednn_provider(cpu::Isa most = cpu::best_isa());

}  // namespace ortool
