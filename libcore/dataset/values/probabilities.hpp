// Probabilities of ranked scores: softmax over each row of a score tensor.
#pragma once

#include <span>
#include <vector>

#include "libcore/dataset/values/value_block.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// The probability of each entry of top_entries(): the softmax over all scores of its row.
std::vector<double> probabilities_of(const Tensor& tensor, std::span<const TopEntry> entries);

/// Whether every row already sums to 1, without negative numbers.
bool holds_probabilities(const Tensor& tensor);

}  // namespace ortool
