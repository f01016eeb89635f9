// TopK against a full sort, for sizes around its buffer and any number of threads.
#include "kernels/cpu/reduction/top_k.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/memory/aligned_buffer.hpp"
#include "tests/unit/kernels/cpu/kernel_test_support.hpp"

using namespace ortool;
using namespace ortool::cpu;

TEST_CASE("the best k of long lines are those of a full sort") {
  std::mt19937 random(11);
  ThreadPool pool(4);
  for (const std::int64_t axis : {1, 7, 1023, 1024, 1025, 5000}) {
    for (const std::int64_t k : {std::int64_t{1}, std::min<std::int64_t>(axis, 30),
                                 std::min<std::int64_t>(axis, 600), axis}) {
      const TopKSizes sizes = {3, axis, 2, k};
      std::vector<float> in(static_cast<std::size_t>(6 * axis));
      for (float& x : in) x = static_cast<float>(random() % 500);
      std::vector<float> values(static_cast<std::size_t>(6 * k));
      std::vector<std::int64_t> indices(values.size());
      AlignedBuffer workspace(top_k_workspace_bytes(sizes, 4), nullptr);
      Workers workers(pool, 4);
      top_k(false, DataType::float32, in.data(), values.data(), indices.data(), sizes,
            workspace.data(), best_isa(), workers);
      std::vector<std::int64_t> order(static_cast<std::size_t>(axis));
      for (std::int64_t line = 0; line < 6; ++line) {
        const float* from = in.data() + line / 2 * axis * 2 + line % 2;
        std::iota(order.begin(), order.end(), std::int64_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int64_t a, std::int64_t b) { return from[a * 2] < from[b * 2]; });
        bool is_same = true;
        for (std::int64_t i = 0; i < k; ++i) {
          const auto at = static_cast<std::size_t>(line / 2 * k * 2 + line % 2 + i * 2);
          is_same = is_same && indices[at] == order[static_cast<std::size_t>(i)];
          is_same = is_same && values[at] == from[indices[at] * 2];
        }
        CHECK(is_same);
      }
    }
  }
}

TEST_CASE("adjacent elements give the same with NaN, zeros of both signs and equal ones") {
  std::mt19937 random(12);
  ThreadPool pool(2);
  Workers workers(pool, 2);
  for (const Isa isa : test::isas_here()) {
    for (const bool largest : {true, false}) {
      for (const std::int64_t axis : {63, 64, 65, 1000, 4096}) {
        const TopKSizes sizes = {1, axis, 1, std::min<std::int64_t>(axis, 9)};
        std::vector<float> in(static_cast<std::size_t>(axis));
        for (float& x : in) {
          const auto draw = static_cast<int>(random() % 700);
          x = draw == 0   ? std::numeric_limits<float>::quiet_NaN()
              : draw == 1 ? -0.0F
              : draw == 2 ? std::numeric_limits<float>::infinity()
                          : static_cast<float>(draw % 40 - 3);
        }
        std::vector<std::int64_t> order(in.size());
        std::iota(order.begin(), order.end(), std::int64_t{0});
        const auto rank = [&](std::int64_t i) {
          const float x = in[static_cast<std::size_t>(i)];
          return std::isnan(x) ? std::pair(1, 0.0F) : std::pair(0, x + 0.0F);
        };
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
          return largest ? rank(a) > rank(b) : rank(a) < rank(b);
        });
        order.resize(static_cast<std::size_t>(sizes.k));
        std::vector<float> values(order.size());
        std::vector<std::int64_t> indices(order.size());
        AlignedBuffer workspace(top_k_workspace_bytes(sizes, 2), nullptr);
        top_k(largest, DataType::float32, in.data(), values.data(), indices.data(), sizes,
              workspace.data(), isa, workers);
        CAPTURE(static_cast<int>(isa), largest, axis);
        CHECK(indices == order);
      }
    }
  }
}
