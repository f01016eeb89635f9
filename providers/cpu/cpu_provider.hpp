// Cpu provider: runs every operator on the processor.
#pragma once

#include <memory>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/precision.hpp"
#include "libcore/provider/kept_float.hpp"
#include "libcore/provider/provider.hpp"

namespace ortool {

/// Uses kernels up to the instruction set `most`, which this processor must support.
std::shared_ptr<const Provider> make_cpu_provider(cpu::Isa most = cpu::best_isa());

/// The same with float32 products by operands of `operands`: float32, or bfloat16 where
/// cpu::has_bf16_gemm(most). Those of nodes that `keeps_float` names stay in float32.
std::shared_ptr<const Provider> make_cpu_provider(cpu::Isa most, Precision operands,
                                                  KeepsFloat keeps_float = nullptr);

}  // namespace ortool
