// Batching: concatenates samples along the first axis, and splits outputs again.
#pragma once

#include <span>
#include <vector>

#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// The maximum number of samples per run: one, unless all inputs and outputs share a symbolic first
/// dimension. Results of a model may still depend on the whole batch.
std::int64_t most_batched(const Session& session);

/// Whether `sample` has the same inputs, types and shapes as `first`, each with a batch of one.
bool fits_batch(const Sample& first, const Sample& sample);

/// The inputs of all samples, concatenated.
NamedValues join_inputs(std::span<const Sample> samples);

/// Row `index` of `count`, or the value itself when there is only one.
RunValue row_of(const RunValue& value, std::int64_t index, std::int64_t count);
/// Whether row_of can split the value.
bool has_rows(const RunValue& value, std::int64_t count);

}  // namespace ortool
