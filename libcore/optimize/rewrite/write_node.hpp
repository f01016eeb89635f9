// Nodes that move elements, written in the form that the graph's opset asks for.
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
/// `x` reshaped; a 0 copies the dimension there, one -1 is found out.
Value& add_reshape(Replacement& replacement, Value& x, Integers shape);
/// `x` with its axes in another order.
Value& add_transpose(Replacement& replacement, Value& x, Integers order);
/// What a Slice takes of each axis it names.
struct SliceForm {
  Integers axes;
  Integers starts;
  Integers ends;
  Integers steps;  ///< all 1 where the opset has no steps
};
/// Whether the opset can say it: steps came with opset 10.
bool can_write(const SliceForm& form, const Graph& graph);
Value& add_slice(Replacement& replacement, Value& x, SliceForm form);

}  // namespace ortool
