// Samples in an .npz file: one array per input, with samples along the first axis.
#pragma once

#include <memory>
#include <string>

#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// Arrays are named after inputs, `input_N`, or outputs for expected values; `labels` holds a
/// number or string per sample. An array with one axis more than its input holds a complete input
/// per sample; one with the same rank holds rows along the input's first axis.
std::unique_ptr<SampleSet> open_npz_samples(const std::string& path, SampleContext context);

}  // namespace ortool
