// Node errors between two models: sums merge exactly, and runs are compared value by value.
#include "libcore/quantize/report/node_error.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

std::unique_ptr<Session> plain(std::string_view text) {
  SessionOptions options = cpu_options();
  options.optimize = OptimizeLevel::none;
  return make_session(text, std::move(options));
}

constexpr std::string_view float_text = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[n, 3] x) => (float[n, 3] y) {
    a = Relu (x)
    b = Add (a, a)
    y = Neg (b)
  }
)";

/// The same, with a renamed value that is off by a quarter in its last channel.
constexpr std::string_view other_text = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[n, 3] x) => (float[n, 3] y)
  <float[3] off = {0, 0, 0.25}> {
    a = Relu (x)
    b0 = Add (a, a)
    b_rounded = Add (b0, off)
    y = Neg (b_rounded)
  }
)";

}  // namespace

TEST_CASE("Errors are those of the formulas") {
  ErrorSums sums;
  sums.add(Tensor::of<float>({3}, {1, 2, 3}), Tensor::of<float>({3}, {1, 2, 4}));
  CHECK(sums.count() == 3);
  CHECK(sums.sqnr_db() == Approx(10 * std::log10(21.0)));
  CHECK(sums.cosine() == Approx(17 / std::sqrt(14.0 * 21.0)));
  CHECK(sums.max_abs_error() == 1);
  CHECK(sums.mean_error() == Approx(-1.0 / 3));
  CHECK(sums.mean_square_error() == Approx(1.0 / 3));
  CHECK_THROWS_AS(sums.add(Tensor::of<float>({1}, {1}), Tensor::of<float>({3}, {1, 2, 4})), Error);
}

TEST_CASE("Equal, empty, zero and infinite values have errors that can be told") {
  ErrorSums equal;
  CHECK(equal.cosine() == 1);
  CHECK(std::isinf(equal.sqnr_db()));
  equal.add(Tensor::of<float>({2}, {INFINITY, NAN}), Tensor::of<float>({2}, {INFINITY, NAN}));
  CHECK(equal.not_finite() == 0);
  equal.add(Tensor::of<float>({2}, {INFINITY, 1}), Tensor::of<float>({2}, {1, NAN}));
  CHECK(equal.not_finite() == 2);
  CHECK(equal.count() == 0);
  ErrorSums silent;
  silent.add(Tensor::of<float>({1}, {1}), Tensor::of<float>({1}, {0}));
  CHECK(silent.sqnr_db() == -std::numeric_limits<double>::infinity());
  CHECK(silent.cosine() == 0);
}

TEST_CASE("Errors of any split of the samples add up to the same bits") {
  ErrorSums whole(1);
  std::vector<ErrorSums> parts(3, ErrorSums(1));
  for (unsigned i = 0; i < 30; ++i) {
    const Tensor found = random_tensor({2, 5, 1 + i % 4}, i);
    const Tensor expected = random_tensor({2, 5, 1 + i % 4}, 1000 + i);
    whole.add(found, expected);
    parts[(i * 7) % 3].add(found, expected);
  }
  ErrorSums merged(1);
  for (const std::size_t i : {std::size_t{2}, std::size_t{0}, std::size_t{1}})
    merged.merge(parts[i]);
  CHECK(merged.sqnr_db() == whole.sqnr_db());
  CHECK(merged.cosine() == whole.cosine());
  CHECK(merged.mean_error() == whole.mean_error());
  CHECK(merged.channel_mean_errors() == whole.channel_mean_errors());
  CHECK(merged.channel_mean_errors().size() == 5);
}

TEST_CASE("Two models are compared value by value, under the names each has") {
  const auto floating = plain(float_text);
  const auto other = plain(other_text);
  const std::vector<ErrorRequest> requests = {
      {{"a", "a"}, std::nullopt}, {{"b", "b_rounded"}, -1}, {{"y", "y"}, std::nullopt}};
  ErrorCollector whole(requests);
  ErrorCollector first(requests);
  ErrorCollector last(requests);
  for (unsigned i = 0; i < 6; ++i) {
    const NamedValues inputs = {{"x", random_tensor({1 + i % 2, 3}, i)}};
    whole.add(*floating, *other, inputs, {});
    (i < 2 ? first : last).add(*floating, *other, inputs, {});
  }
  REQUIRE(whole.errors().size() == 3);
  CHECK(whole.errors()[0].value == "a");
  CHECK(std::isinf(whole.errors()[0].sums.sqnr_db()));
  CHECK(whole.errors()[1].node == "Add_1");
  CHECK(whole.errors()[1].op_type == "Add");
  CHECK(whole.find("b")->sums.channel_mean_errors() == std::vector<double>{0, 0, 0.25});
  CHECK(whole.find("y")->sums.max_abs_error() == 0.25);
  last.merge(first);
  CHECK(last.find("y")->sums.sqnr_db() == whole.find("y")->sums.sqnr_db());
  CHECK(whole.find("c") == nullptr);
}

TEST_CASE("The first value that goes wrong is the one where the ratio falls") {
  std::vector<ValueError> errors(4);
  const Tensor expected = Tensor::of<float>({1}, {1});
  const float found[] = {1.001F, 1.002F, 1.2F, 1.9F};
  for (std::size_t i = 0; i < 4; ++i)
    errors[i].sums.add(Tensor::of<float>({1}, {found[i]}), expected);
  CHECK(first_bad(errors) == &errors[2]);
  CHECK(first_bad(std::span(errors).first(2)) == nullptr);
}
