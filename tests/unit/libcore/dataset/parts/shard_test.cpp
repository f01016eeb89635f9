// Shards: what is written and read, and which items each one has.
#include "libcore/dataset/parts/shard.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

using namespace ortool;

TEST_CASE("Every item is in exactly one shard, in order", "[shard]") {
  for (const std::int64_t items : {0, 1, 2, 7, 31, 32, 33, 539, 1000}) {
    for (const std::int64_t count : {1, 2, 3, 7, 64, 2000}) {
      for (const std::int64_t block : {1, 32}) {
        CAPTURE(items, count, block);
        std::int64_t next = 0;
        std::int64_t most = 0;
        std::int64_t least = items;
        for (std::int64_t index = 0; index < count; ++index) {
          const auto [first, end] = items_of({index, count}, items, block);
          REQUIRE(first == next);
          REQUIRE(end >= first);
          // Blocks stay together.
          REQUIRE((first % block == 0 || first == items));
          most = std::max(most, end - first);
          least = std::min(least, end - first);
          next = end;
        }
        CHECK(next == items);
        // The last block may be incomplete.
        CHECK(most - least < 2 * block);
      }
    }
  }
}

TEST_CASE("With more shards than items, the first one is not empty", "[shard]") {
  CHECK(items_of({0, 5}, 2) == std::pair<std::int64_t, std::int64_t>(0, 1));
  CHECK(items_of({1, 5}, 2) == std::pair<std::int64_t, std::int64_t>(1, 1));
  CHECK(items_of({4, 5}, 2) == std::pair<std::int64_t, std::int64_t>(2, 2));
}

TEST_CASE("Large numbers do not overflow", "[shard]") {
  const std::int64_t items = std::int64_t{1} << 60;
  CHECK(items_of({max_shards - 1, max_shards}, items).second == items);
  CHECK(items_of({0, 3}, items).second == (items + 2) / 3);
}

TEST_CASE("Shards are written as people count, and read back", "[shard]") {
  CHECK(Shard{1, 7}.to_string() == "2/7");
  CHECK(parse_shard("2/7") == Shard{1, 7});
  CHECK(parse_shard("1/1") == Shard{0, 1});
}

TEST_CASE("Shards out of range say from where they count", "[shard]") {
  const auto message = [](std::string_view text) -> std::string {
    try {
      parse_shard(text);
    } catch (const Error& error) {
      return std::string(error.what()) + " | " + error.hint();
    }
    return {};
  };
  CHECK(message("0/7") ==
        "option shard: '0/7' is out of range | shards count from 1: give 1/7 to 7/7");
  CHECK(message("8/7") ==
        "option shard: '8/7' is out of range | shards count from 1: give 1/7 to 7/7");
  CHECK(message("1/0") == "option shard: '1/0' names 0 shards | give 1 to 1000000");
  for (const char* text :
       {"", "/", "1", "1/", "/7", "a/7", "1/7/2", "1.5/7", "1/99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_shard(text), Error);
  }
}
