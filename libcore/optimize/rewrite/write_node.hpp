// Writers of data movement nodes in the form of the graph's opset.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "libcore/optimize/rewrite/replacement.hpp"

namespace ortool {

using Integers = std::vector<std::int64_t>;

/// Squeeze, Unsqueeze or a reduction of `x` over `axes`.
Value& add_with_axes(Replacement& replacement, std::string_view op_type, Value& x, Integers axes,
                     NewAttributes attributes = {});
/// `x` reshaped; 0 copies the dimension, one -1 is inferred.
Value& add_reshape(Replacement& replacement, Value& x, Integers shape);
/// `x` with permuted axes.
Value& add_transpose(Replacement& replacement, Value& x, Integers order);
/// The range that a Slice takes of each of its axes.
struct SliceParams {
  Integers axes;
  Integers starts;
  Integers ends;
  Integers steps;  ///< all 1 where the opset has no steps
};
/// Whether the opset supports it: steps came with opset 10.
bool can_write(const SliceParams& params, const Graph& graph);
Value& add_slice(Replacement& replacement, Value& x, SliceParams params);

}  // namespace ortool
