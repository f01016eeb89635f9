// Shards are contiguous, so that sets are read from one place on and results join in order.
#include "libcore/dataset/parts/shard.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/parse_number.hpp"

namespace ortool {
namespace {

[[noreturn]] void refuse_shard(std::string_view text, std::string_view what, std::string hint) {
  throw Error(ErrorCode::invalid,
              format("option {}: {} {}", setting_name("shard"), quote(text), what), std::move(hint))
      .with_id("usage.value");
}

/// The first block of the shard.
std::int64_t first_block(std::int64_t index, std::int64_t count, std::int64_t blocks) {
  // blocks * index / count, rounded up; no product overflows.
  const std::int64_t rest = blocks % count * index;
  return blocks / count * index + (rest + count - 1) / count;
}

}  // namespace

std::string Shard::to_string() const {
  return format("{}/{}", index + 1, count);
}

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  std::int64_t number = 0;
  std::int64_t count = 0;
  if (slash == std::string_view::npos || !read_integer(text.substr(0, slash), number) ||
      !read_integer(text.substr(slash + 1), count))
    refuse_shard(text, "is not a shard", "write 2/7 for the second of seven shards");
  if (count < 1 || count > max_shards)
    refuse_shard(text, format("names {} shards", count), format("give 1 to {}", max_shards));
  if (number < 1 || number > count)
    refuse_shard(text, "is out of range",
                 format("shards count from 1: give 1/{} to {}/{}", count, count, count));
  return {number - 1, count};
}

std::pair<std::int64_t, std::int64_t> items_of(const Shard& shard, std::int64_t items,
                                               std::int64_t block) {
  const std::int64_t blocks = (items + block - 1) / block;
  const std::int64_t first = first_block(shard.index, shard.count, blocks) * block;
  const std::int64_t end = first_block(shard.index + 1, shard.count, blocks) * block;
  return {std::min(first, items), std::min(end, items)};
}

}  // namespace ortool
