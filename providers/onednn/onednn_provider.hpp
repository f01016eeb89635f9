// onednn provider: computes products, convolutions and pools with oneDNN.
#pragma once

#include <memory>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Uses oneDNN's kernels up to the instruction set `most`. Unavailable, with a reason, in a build
/// without oneDNN 2, where its library cannot be loaded, and if oneDNN was used before with another
/// instruction set, which it keeps for the whole process.
std::shared_ptr<const Provider> make_onednn_provider(cpu::Isa most = cpu::best_isa());

}  // namespace ortool
