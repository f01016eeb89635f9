// Test data shipped with a model, as evidence of its input ranges.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/quantize/calibrate/input_evidence.hpp"

namespace ortool {

/// The value ranges of natural images in the folders test_data_set_N next to `model_path`, for
/// those of `inputs` that have four axes. Images are told from noise by the correlation of adjacent
/// elements. Unreadable files are ignored.
std::vector<ExpectedRange> ranges_of_own_pictures(const std::string& model_path,
                                                  std::span<Value* const> inputs, MemoryCap& cap);

/// Whether the tensor has four axes, is not constant, and adjacent elements along one of its axes
/// (from the second on) have a correlation of 0.5 or more.
bool is_natural_picture(const Tensor& tensor);

}  // namespace ortool
