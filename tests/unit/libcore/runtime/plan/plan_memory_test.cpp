// The arena: no two live buffers overlap, and little is wasted.
#include "libcore/runtime/plan/plan_memory.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

using ortool::plan_memory;
using ortool::PlannedBuffer;

namespace {

void require_disjoint(const std::vector<PlannedBuffer>& buffers, std::int64_t arena_bytes) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const PlannedBuffer& a = buffers[i];
    REQUIRE(a.offset % 64 == 0);
    REQUIRE(a.offset + a.bytes <= arena_bytes);
    for (std::size_t j = 0; j < i; ++j) {
      const PlannedBuffer& b = buffers[j];
      const bool alive_together = a.first_step <= b.last_step && b.first_step <= a.last_step;
      const bool overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
      REQUIRE_FALSE((alive_together && overlap));
    }
  }
}

}  // namespace

TEST_CASE("A chain of layers needs the two largest neighbors at most") {
  std::vector<PlannedBuffer> buffers;
  for (std::int32_t step = 0; step < 10; ++step) buffers.push_back({1024, step, step + 1, 0});
  CHECK(plan_memory(buffers) == 2048);
  require_disjoint(buffers, 2048);
}

TEST_CASE("Buffers alive together never overlap, whatever their sizes") {
  const unsigned seed = 20261120;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20; ++round) {
    std::vector<PlannedBuffer> buffers;
    for (int i = 0; i < 200; ++i) {
      const auto first = static_cast<std::int32_t>(random() % 100);
      buffers.push_back({static_cast<std::int64_t>(random() % 5000), first,
                         first + static_cast<std::int32_t>(random() % 20), 0});
    }
    const std::int64_t bytes = plan_memory(buffers);
    require_disjoint(buffers, bytes);
  }
}

TEST_CASE("No buffers need no arena") {
  CHECK(plan_memory({}) == 0);
}

TEST_CASE("A gap that a later, larger buffer does not fit into is avoided") {
  // A chain whose layers grow: step by step, the last one would go behind the third.
  const std::int64_t unit = 1024;
  std::vector<PlannedBuffer> buffers = {{1600 * unit, 0, 1, 0},
                                        {832 * unit, 1, 2, 0},
                                        {1216 * unit, 2, 3, 0},
                                        {448 * unit, 3, 4, 0},
                                        {1792 * unit, 4, 5, 0}};
  CHECK(plan_memory(buffers) == 2432 * unit);
  require_disjoint(buffers, 2432 * unit);
}

TEST_CASE("Many buffers are placed step by step") {
  std::vector<PlannedBuffer> buffers;
  for (std::int32_t step = 0; step < 3000; ++step) buffers.push_back({1024, step, step + 1, 0});
  CHECK(plan_memory(buffers) == 2048);
}
