// Classifiers that give labels: a kernel that finds positions, and a table of labels after it.
#pragma once

#include "libcore/provider/kernel.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool::cpu {

/// Runs `inner`, whose output 0 are int64 positions in `labels` (a vector of int64 or strings), and
/// gives the labels in their stead; the other outputs stay. Dynamic where labels are strings.
KernelPtr make_labelled_kernel(KernelPtr inner, Tensor labels);

}  // namespace ortool::cpu
