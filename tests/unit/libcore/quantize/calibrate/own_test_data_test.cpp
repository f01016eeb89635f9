// Own test data: natural images distinguished from noise.
#include "libcore/quantize/calibrate/own_test_data.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

Tensor wave(const Shape& shape, std::int64_t period) {
  Tensor tensor(DataType::float32, shape);
  std::int64_t i = 0;
  for (float& each : tensor.mutable_data<float>())
    each = std::sin(static_cast<float>(i++ % period) / static_cast<float>(period) * 6.28F);
  return tensor;
}

Tensor flat(const Shape& shape, float value) {
  Tensor tensor(DataType::float32, shape);
  for (float& each : tensor.mutable_data<float>()) each = value;
  return tensor;
}

TEST_CASE("pictures vary slowly, noise and flat data do not") {
  CHECK(is_natural_picture(wave({1, 3, 32, 32}, 32)));
  CHECK(is_natural_picture(wave({1, 32, 32, 3}, 96)));
  CHECK_FALSE(is_natural_picture(random_tensor({1, 3, 32, 32}, 1)));
  CHECK_FALSE(is_natural_picture(flat({1, 3, 32, 32}, 0)));
  CHECK_FALSE(is_natural_picture(flat({1, 3, 32, 32}, -0.3725F)));
  CHECK_FALSE(is_natural_picture(wave({1, 1024}, 32)));
}

}  // namespace
}  // namespace ortool
