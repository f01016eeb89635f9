// Element types of sequences, and the common type of two tensors.
#pragma once

#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// The element type of the sequence at `input`; unknown when the input is unknown. Throws
/// ErrorCode::invalid when the input is not a sequence.
ValueType element_of_sequence(const InferContext& context, std::int64_t input);

/// The most specific type that covers both: equal dimensions are kept, and the rank if both have
/// the same. Throws ErrorCode::invalid for different element types; `what` names the second.
ValueType common_type(const ValueType& a, const ValueType& b, std::string_view what);

}  // namespace ortool
