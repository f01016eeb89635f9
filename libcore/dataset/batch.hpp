// Samples put together along the first axis, and what comes out taken apart again.
#pragma once

#include <span>
#include <vector>

#include "libcore/dataset/sample_set.hpp"

namespace ortool {

/// How many samples may go through the session at once: one, unless all inputs and outputs share a
/// first dimension without a number. What a model makes of a batch may still depend on all of it.
std::int64_t most_batched(const Session& session);

/// Whether `sample` has the same inputs, with the same types and shapes, as `first`, and a batch of
/// one in each.
bool fits_batch(const Sample& first, const Sample& sample);

/// The inputs of all samples, one after the other.
NamedValues join_inputs(std::span<const Sample> samples);

/// Row `index` of `count`, or the value itself when there is only one.
RunValue row_of(const RunValue& value, std::int64_t index, std::int64_t count);
/// Whether row_of can take the value apart.
bool has_rows(const RunValue& value, std::int64_t count);

}  // namespace ortool
