// Splitting of packed attention heads, and checks of head counts.
#include "libcore/ops/nn/attention/attention_heads.hpp"

#include "libcore/base/format.hpp"

namespace ortool {

std::int64_t read_heads(AttributeReader& attributes, std::string_view name) {
  if (!attributes.has(name)) return 0;
  return attributes.integer_in(name, 0, 1, std::int64_t{1} << 31);
}

Dimension head_size(std::string_view what, const Dimension& packed, std::int64_t heads) {
  if (packed.is_known() && packed.number() % heads != 0) {
    throw Error(ErrorCode::invalid, format("{} is {} (expected a multiple of the {} heads)", what,
                                           packed.number(), heads));
  }
  return floor_divide(packed, heads);
}

void check_head_groups(const Dimension& query_heads, const Dimension& shared_heads) {
  if (!query_heads.is_known() || !shared_heads.is_known()) return;
  const bool is_even =
      shared_heads.number() > 0 && query_heads.number() % shared_heads.number() == 0;
  if (is_even || query_heads == shared_heads) return;
  throw Error(ErrorCode::invalid,
              format("there are {} query heads for {} key and value heads (expected a multiple)",
                     query_heads.number(), shared_heads.number()));
}

}  // namespace ortool
