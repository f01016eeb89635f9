// TopK against a full sort, for sizes around its buffer and any number of threads.
#include "kernels/cpu/reduction/top_k.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/memory/aligned_buffer.hpp"

using namespace ortool;
using namespace ortool::cpu;

TEST_CASE("the best k of long lines are those of a full sort") {
  std::mt19937 random(11);
  ThreadPool pool(4);
  for (const std::int64_t axis : {1, 7, 1023, 1024, 1025, 5000}) {
    for (const std::int64_t k : {std::int64_t{1}, std::min<std::int64_t>(axis, 600), axis}) {
      const TopKSizes sizes = {3, axis, 2, k};
      std::vector<float> in(static_cast<std::size_t>(6 * axis));
      for (float& x : in) x = static_cast<float>(random() % 500);
      std::vector<float> values(static_cast<std::size_t>(6 * k));
      std::vector<std::int64_t> indices(values.size());
      AlignedBuffer workspace(top_k_workspace_bytes(sizes, 4), nullptr);
      Workers workers(pool, 4);
      top_k(false, DataType::float32, in.data(), values.data(), indices.data(), sizes,
            workspace.data(), workers);
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
