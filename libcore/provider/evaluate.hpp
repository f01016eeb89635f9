// Immediate evaluation of a kernel on whole tensors: for constants and shape arithmetic.
#pragma once

#include <span>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/provider/kernel.hpp"

namespace ortool {

/// Prepares and runs `kernel`, which must not be dynamic, on known inputs; returns the outputs
/// (empty tensors for omitted ones). `outputs` gives their types and shapes.
std::vector<Tensor> evaluate(const Kernel& kernel, std::span<const Operand> inputs,
                             std::span<const Operand> outputs, Workers& workers, MemoryCap* cap);

/// Runs a dynamic kernel of `node` on known inputs; returns the outputs.
std::vector<RunValue> evaluate_dynamic(const Kernel& kernel, const Node& node,
                                       std::span<const Operand> inputs, Workers& workers,
                                       MemoryCap* cap);

}  // namespace ortool
