// Attention heads that are packed into one dimension: head count and head size.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/ops/attribute_reader.hpp"
#include "libcore/ops/infer_context.hpp"

namespace ortool {

/// A number of heads, 1 to 2^31, or 0 when the attribute is absent.
std::int64_t read_heads(AttributeReader& attributes, std::string_view name);

/// The size of each of `heads` heads in the dimension `packed`. Throws ErrorCode::invalid when it
/// is not divisible; `what` names the dimension.
Dimension head_size(std::string_view what, const Dimension& packed, std::int64_t heads);

/// Checks grouped-query attention, where each group of query heads shares one key/value head.
/// Throws ErrorCode::invalid when the counts are not divisible.
void check_head_groups(const Dimension& query_heads, const Dimension& shared_heads);

}  // namespace ortool
