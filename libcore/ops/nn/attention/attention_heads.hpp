// Heads of attention packed into one dimension, and taken out of it.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// A number of heads, 1 to 2^31, or 0 when the attribute is not given.
std::int64_t read_heads(AttributeReader& attributes, std::string_view name);

/// The size of one of `heads` that lie side by side in `packed`. Throws ErrorCode::invalid when
/// that is no whole number; `what` names the dimension.
Dimension head_size(std::string_view what, const Dimension& packed, std::int64_t heads);

/// Every group of query heads shares a head of keys and values. Throws ErrorCode::invalid when
/// that does not come out even.
void check_head_groups(const Dimension& query_heads, const Dimension& shared_heads);

}  // namespace ortool
