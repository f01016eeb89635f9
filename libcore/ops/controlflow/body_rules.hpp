// Type inference shared by If, Loop and Scan: joins the results of branches, and iterates a body
// until its types reach a fixed point.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Generalizes `value` to what holds for both it and `other`: dimensions and elements that differ
/// become `unknown`, and so do shapes of different rank and types of different kind. Returns
/// whether anything changed.
bool widen(InferredValue& value, const InferredValue& other, const Dimension& unknown);

/// Infers a branch that may be invalid for the given shapes, because an outside condition decides
/// whether it runs; nothing in that case. Still throws for nodes that are invalid for any shapes.
std::optional<std::vector<InferredValue>> try_body(InferContext& context, const Graph& body);

/// Calls `body`, which maps what is known of carried values at the start of an iteration to what is
/// known at its end, until `carried` holds for every iteration. The number of calls is bounded:
/// what still changes then becomes unknown. Returns the results of the last call, which may include
/// more than the carried values.
std::vector<InferredValue> repeat_body(
    std::vector<InferredValue>& carried, const Dimension& unknown,
    FunctionRef<std::vector<InferredValue>(const std::vector<InferredValue>&)> body);

/// Calls `body` with symbols for the sizes of `carried` values that change between iterations, so
/// that dimensions inside the body get names. Sizes that start equal (`before`) and change alike
/// share one symbol. `inputs` are the body's inputs, one for each carried value.
void name_sizes(const std::vector<InferredValue>& before, const std::vector<InferredValue>& carried,
                std::span<Value* const> inputs,
                FunctionRef<std::vector<InferredValue>(const std::vector<InferredValue>&)> body);

/// Throws ErrorCode::invalid unless the body has the given numbers of inputs and outputs.
void check_body(const Graph& body, std::int64_t inputs, std::int64_t outputs);
/// Throws ErrorCode::invalid unless the node has the expected number of outputs.
void check_output_count(const Node& node, std::int64_t expected);

}  // namespace ortool
