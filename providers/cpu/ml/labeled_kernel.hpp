// Classifier labels: a kernel that computes positions, followed by a lookup in a table of labels.
#pragma once

#include "libcore/provider/kernel.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

/// Runs `inner`, whose output 0 holds int64 positions in `labels` (a vector of int64 or strings),
/// and returns the labels instead; other outputs are unchanged. Dynamic if labels are strings.
KernelPtr make_labeled_kernel(KernelPtr inner, Tensor labels);

}  // namespace ortool::cpu
