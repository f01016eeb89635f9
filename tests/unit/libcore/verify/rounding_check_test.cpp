// Rounding checks: integers compared with the floats they come from.
#include "libcore/verify/rounding_check.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

constexpr Tolerance strict = {.rtol = 1e-4, .atol = 0, .atol_of_max = false};

Tensor bytes(std::vector<std::uint8_t> values) {
  return Tensor::of<std::uint8_t>(Shape({static_cast<std::int64_t>(values.size())}),
                                  std::span<const std::uint8_t>(values));
}

Tensor floats(std::vector<float> values) {
  return Tensor::of<float>(Shape({static_cast<std::int64_t>(values.size())}),
                           std::span<const float>(values));
}

TEST_CASE("a number on the edge between two integers may become either") {
  const Tensor numbers = floats({5, 5.0003F, 5.4F, 4.6F});
  const Tensor scale = floats({2});
  const Tensor expected = bytes({2, 3, 3, 2});
  const RoundingCheck same =
      check_rounding(expected, nullptr, expected, nullptr, {numbers, scale}, strict);
  CHECK(same.count == 4);
  CHECK(same.differing == 0);
  const RoundingCheck edge =
      check_rounding(bytes({3, 2, 3, 2}), nullptr, expected, nullptr, {numbers, scale}, strict);
  CHECK(edge.differing == 2);
  CHECK(edge.wrong == 0);
  CHECK(edge.largest_excess_units < 3e-4);
  const RoundingCheck inside =
      check_rounding(bytes({3, 3, 2, 3}), nullptr, expected, nullptr, {numbers, scale}, strict);
  CHECK(inside.differing == 3);
  CHECK(inside.wrong == 2);
}

TEST_CASE("all integers being one off is no rounding") {
  const Tensor numbers = floats({0.1F, 1.2F, 2.3F, 3.9F});
  const RoundingCheck check =
      check_rounding(bytes({11, 12, 13, 15}), nullptr, bytes({10, 11, 12, 14}), nullptr,
                     {numbers, floats({1})}, strict);
  CHECK(check.wrong == 4);
}

TEST_CASE("integers with a zero point of their own are compared by what they stand for") {
  const Tensor numbers = floats({0.1F, 1.2F, 300});
  const Tensor ten = bytes({10});
  const Tensor eleven = bytes({11});
  const RoundingCheck check = check_rounding(bytes({11, 12, 255}), &eleven, bytes({10, 11, 255}),
                                             &ten, {numbers, floats({1})}, strict);
  CHECK(check.differing == 1);
  CHECK(check.wrong == 0);
}

TEST_CASE("what is cut off at the end of the type is no rounding of a larger number") {
  const RoundingCheck check = check_rounding(bytes({254}), nullptr, bytes({255}), nullptr,
                                             {floats({100000}), floats({1})}, strict);
  CHECK(check.wrong == 1);
}

TEST_CASE("each index of an axis has its scale") {
  const Tensor numbers = Tensor::of<float>(Shape({2, 2}), {5, 6, 5, 6});
  const Tensor expected = Tensor::of<std::uint8_t>(Shape({2, 2}), {2, 3, 5, 6});
  const Tensor found = Tensor::of<std::uint8_t>(Shape({2, 2}), {3, 3, 6, 6});
  const RoundingCheck check =
      check_rounding(found, nullptr, expected, nullptr, {numbers, floats({2, 1}), 0}, strict);
  CHECK(check.differing == 2);
  CHECK(check.wrong == 1);
}

}  // namespace
}  // namespace ortool
