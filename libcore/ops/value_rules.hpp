// Value propagation in shape rules: moves, combines, compares and rounds the elements of small
// tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// The elements of an input when its shape is known and small; single elements may be unknown.
std::optional<KnownTensor> known_input(const InferContext& context, std::int64_t index);
/// Sets the elements of an output; there must be as many as its shape holds.
void set_known_output(InferContext& context, std::int64_t index, DataType element,
                      std::optional<KnownElements> elements);

/// Output 0 has the elements of input 0 in the same order (Reshape, Squeeze, Identity …).
void keep_elements(InferContext& context);
/// Element i of output 0, in row-major order, is the element of input 0 at the i-th position.
void pick_elements(InferContext& context, const std::vector<std::int64_t>& positions);

/// Whether a tensor of this shape has at most max_known_elements elements.
bool are_few(const Shape& shape);

/// For each element of `to`, the row-major position of its source in a tensor of shape `from` that
/// is broadcast to `to`.
std::vector<std::int64_t> broadcast_positions(const Shape& from, const Shape& to);

/// Sets output 0 by applying `combine` to each pair of elements of inputs 0 and 1, with
/// broadcasting.
void combine_elements(InferContext& context, DataType result,
                      FunctionRef<KnownElement(const KnownElement&, const KnownElement&)> combine);
/// Sets output 0 by applying `change` to each element of input 0.
void change_elements(InferContext& context, DataType result,
                     FunctionRef<KnownElement(const KnownElement&)> change);

}  // namespace ortool
