// Deltas of tensors: hand-computed figures, and pairs that cannot be compared.
#include "libcore/tensor/delta.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using ortool::delta_of;
using ortool::is_same_tensor;
using ortool::Shape;
using ortool::Tensor;

TEST_CASE("The delta of two tensors has the figures that a hand gets") {
  const Tensor before = Tensor::of<float>({4}, {3, 4, 0, 0});
  const Tensor after = Tensor::of<float>({4}, {3, 4, 1, -2});
  const auto delta = delta_of(before, after);
  REQUIRE(delta);
  CHECK(delta->changed == 2);
  CHECK(delta->max_abs == 2);
  CHECK(delta->mean_abs == 0.75);
  CHECK(delta->relative == Approx(std::sqrt(5.0) / 5));
  CHECK(delta->cosine == Approx(25 / (5 * std::sqrt(30.0))));
  CHECK(delta->sqnr_db == Approx(10 * std::log10(25.0 / 5)));
}

TEST_CASE("A tensor is the same only bit by bit, with type and shape") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor tensor = Tensor::of<float>({2}, {nan, 0});
  CHECK(is_same_tensor(tensor, Tensor::of<float>({2}, {nan, 0})));
  CHECK_FALSE(is_same_tensor(tensor, Tensor::of<float>({2}, {nan, -0.0F})));
  CHECK_FALSE(is_same_tensor(tensor, Tensor::of<float>({1, 2}, {nan, 0})));
  CHECK_FALSE(is_same_tensor(tensor, Tensor::of<double>({2}, {nan, 0})));
  CHECK(is_same_tensor(Tensor::of_strings({1}, {"a"}), Tensor::of_strings({1}, {"a"})));
}

TEST_CASE("Floats of several widths compare, floats with integers do not") {
  const Tensor narrow = Tensor::of<float>({2}, {1, 2});
  CHECK(delta_of(narrow, Tensor::of<double>({2}, {1, 2}))->changed == 0);
  CHECK_FALSE(delta_of(narrow, Tensor::of<std::int8_t>({2}, {1, 2})));
  CHECK_FALSE(delta_of(narrow, Tensor::of<float>({2, 1}, {1, 2})));
  CHECK(std::isinf(delta_of(narrow, narrow)->sqnr_db));
}
