// The types of what sequences hold.
#pragma once

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// What the sequence at `input` holds; unknown when the input is unknown. Throws ErrorCode::invalid
/// for an input that is no sequence.
ValueType element_of_sequence(const InferContext& context, std::int64_t input);

/// The narrowest type that both have: tensors keep the dimensions they share, and their rank when
/// it is the same. Throws ErrorCode::invalid for different element types; `what` names the second.
ValueType common_type(const ValueType& a, const ValueType& b, std::string_view what);

}  // namespace ortool
