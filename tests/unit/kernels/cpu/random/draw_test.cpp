// Random numbers: published test vectors, bounds, moments, and independence of the thread count.
#include "kernels/cpu/random/draw.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/random/philox.hpp"
#include "kernels/cpu/types/fp16_bits.hpp"

using namespace ortool;
using namespace ortool::cpu;

TEST_CASE("philox gives the words of its authors' test vectors") {
  const std::array<std::uint32_t, 4> zero = {0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U};
  CHECK(philox(0, 0) == zero);
}

TEST_CASE("uniform numbers stay below the upper bound in every type") {
  Workers workers;
  std::vector<float> narrow(10001);
  draw_uniform(DataType::float32, 1.0, 1.0000001192092896, 3, narrow.data(), 10001, workers);
  CHECK(*std::max_element(narrow.begin(), narrow.end()) == 1.0F);
  std::vector<BFloat16Bits> half(1001);
  draw_uniform(DataType::bfloat16, -1.0, 0.0, 3, half.data(), 1001, workers);
  CHECK(std::all_of(half.begin(), half.end(), [](BFloat16Bits x) { return to_float(x) < 0.0F; }));
}

TEST_CASE("drawn numbers do not depend on threads") {
  ThreadPool pool(4);
  Workers alone;
  Workers four(pool, 4);
  std::vector<double> a(100001);
  std::vector<double> b(100001);
  draw_normal(DataType::float64, 1.0, 2.0, 42, a.data(), 100001, alone);
  draw_normal(DataType::float64, 1.0, 2.0, 42, b.data(), 100001, four);
  CHECK(a == b);
  const double mean = std::accumulate(a.begin(), a.end(), 0.0) / 100001;
  CHECK(mean == Approx(1.0).margin(0.03));
  double square = 0;
  for (const double x : a) square += (x - mean) * (x - mean);
  CHECK(square / 100001 == Approx(4.0).margin(0.06));
}

TEST_CASE("classes are drawn as often as their chances say") {
  Workers workers;
  const float logs[] = {0.0F, -INFINITY, 1.0986123F};
  std::vector<std::int64_t> drawn(20000);
  double workspace[3];
  draw_multinomial(DataType::float32, logs, DataType::int64, 5, drawn.data(), 1, 3, 20000,
                   workspace, workers);
  CHECK(std::count(drawn.begin(), drawn.end(), 1) == 0);
  CHECK(static_cast<double>(std::count(drawn.begin(), drawn.end(), 2)) ==
        Approx(15000).margin(300));
}
