// What If, Loop and Scan share: joining what two ways lead to, and repeating a body until nothing
// new comes out of it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/base/function_ref.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// Makes `value` what is true of it and of `other`: dimensions and elements in which they differ
/// become `unknown`, shapes of different rank and types of different kind unknown. Returns whether
/// anything changed.
bool widen(InferredValue& value, const InferredValue& other, const Dimension& unknown);

/// Infers a body that may make no sense for the shapes at hand, since something outside decides
/// whether it runs: nothing then. Throws all the same for nodes that could not run with any shapes.
std::optional<std::vector<InferredValue>> try_body(InferContext& context, const Graph& body);

/// Calls `body`, which maps what is known of carried values at an iteration's begin to what is
/// known at its end, until `carried` holds for every iteration. Few calls: what still changes then
/// is given up. Returns the last call's results, which may be more than the carried ones.
std::vector<InferredValue> repeat_body(
    std::vector<InferredValue>& carried, const Dimension& unknown,
    FunctionRef<std::vector<InferredValue>(const std::vector<InferredValue>&)> body);

/// Calls `body` with symbols for the sizes of `carried` values that change from iteration to
/// iteration, for what it then knows of its own values. Sizes that begin equal (`before`) and
/// change alike have one symbol. `inputs` are the body's, one a carried value.
void name_sizes(const std::vector<InferredValue>& before, const std::vector<InferredValue>& carried,
                std::span<Value* const> inputs,
                FunctionRef<std::vector<InferredValue>(const std::vector<InferredValue>&)> body);

/// Throws ErrorCode::invalid unless the body has as many inputs and outputs.
void check_body(const Graph& body, std::int64_t inputs, std::int64_t outputs);
/// Throws ErrorCode::invalid unless the node has as many outputs.
void check_output_count(const Node& node, std::int64_t expected);

}  // namespace ortool
