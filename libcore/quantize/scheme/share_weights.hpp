// Deduplicates tied int8 weights: an embedding table and its transpose in the output layer.
#pragma once

#include <cstdint>

#include "libcore/graph/model.hpp"

namespace ortool {

/// An int8 MatMul weight that is the transpose of an int8 Gather table, as with tied embeddings of
/// a language model, is replaced by Transpose(table), which runtimes fold at load. Values that
/// adaptive rounding moved by one count as equal. Returns the number of matrices removed.
std::int64_t share_transposed_weights(Model& model);

}  // namespace ortool
