// Shard: one of the parts of equal size that several processes share a task's items in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ortool {

struct Shard {
  std::int64_t index = 0;  ///< from 0; people count from 1
  std::int64_t count = 1;

  /// "2/7".
  std::string to_string() const;

  bool operator==(const Shard&) const = default;
};

inline constexpr std::int64_t max_shards = 1'000'000;

/// Reads "2/7". Throws ErrorCode::invalid for anything else, and for numbers out of range.
Shard parse_shard(std::string_view text);

/// Which of `items` are in the shard, as a half-open range: the ranges of all shards follow one
/// another without a gap. Items stay together in blocks of `block`, counted from the first item.
/// No shard has over a block more than another, but for a last block that is incomplete; where
/// there are fewer blocks than shards, some are empty, but never the first.
std::pair<std::int64_t, std::int64_t> items_of(const Shard& shard, std::int64_t items,
                                               std::int64_t block = 1);

}  // namespace ortool
