// The test data that lie beside a model, for what they tell of its inputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/quantize/calibrate/input_evidence.hpp"

namespace ortool {

/// The ranges of the pictures that folders test_data_set_N beside `model_path` hold for `inputs`:
/// of inputs of four axes, where neighbouring elements are alike, as they are not in noise. What
/// cannot be read tells nothing.
std::vector<ExpectedRange> ranges_of_own_pictures(const std::string& model_path,
                                                  std::span<Value* const> inputs, MemoryCap& cap);

/// Whether the tensor of four axes varies, and neighbours along one of its axes from the second on
/// have a correlation of 0.5 or more.
bool is_natural_picture(const Tensor& tensor);

}  // namespace ortool
