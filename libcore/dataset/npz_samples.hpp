// Samples in one .npz: an array an input, its first axis the samples.
#pragma once

#include <memory>
#include <string>

#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// Arrays go by the names of inputs, `input_N`, or names of outputs for what is expected; `labels`
/// holds a number or text a sample. An array with one axis more than its input holds a whole input
/// a sample; one with as many holds rows of the input's first axis.
std::unique_ptr<SampleSet> open_npz_samples(const std::string& path, SampleContext context);

}  // namespace ortool
