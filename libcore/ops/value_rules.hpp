// What shape rules do with the elements of small tensors: move, combine, compare and round them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// The elements of an input, when its shape is known and they are few; some may be unknown.
std::optional<KnownTensor> known_input(const InferContext& context, std::int64_t index);
/// Tells the elements of an output; as many as its shape holds.
void set_known_output(InferContext& context, std::int64_t index, DataType element,
                      std::optional<KnownElements> elements);

/// Output 0 has input 0's elements in the same order (Reshape, Squeeze, Identity …).
void keep_elements(InferContext& context);
/// Output 0 has, for each of its elements in order, the one of input 0 at that position.
void pick_elements(InferContext& context, const std::vector<std::int64_t>& positions);

/// Whether a tensor of the shape has no more than most_known_elements.
bool are_few(const Shape& shape);

/// The row-major position in a tensor of shape `from`, broadcast to `to`, of each element of `to`.
std::vector<std::int64_t> broadcast_positions(const Shape& from, const Shape& to);

/// Output 0 is what `combine` makes of each pair of inputs 0 and 1, broadcast.
void combine_elements(InferContext& context, DataType result,
                      FunctionRef<KnownElement(const KnownElement&, const KnownElement&)> combine);
/// Output 0 is what `change` makes of each element of input 0.
void change_elements(InferContext& context, DataType result,
                     FunctionRef<KnownElement(const KnownElement&)> change);

}  // namespace ortool
