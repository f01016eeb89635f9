// Decompositions of com.microsoft's Fourier transforms, products of complex numbers and distances.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/legacy/fourier.hpp"
#include "libcore/ops/contrib/legacy/matrix_functions.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// The transform along an axis counted from the end, of which the last holds the parts.
Value& transform(Decomposition& out, Value& x, std::int64_t axis, bool inverse, bool onesided) {
  return add_since(out, opset_of_input("DFT", "axis"), "DFT",
                   {&x, nullptr, &integer_scalar(out, axis)},
                   plain_attributes({{"inverse", std::int64_t{inverse ? 1 : 0}},
                                     {"onesided", std::int64_t{onesided ? 1 : 0}}}));
}

Results rfft(Decomposition& out) {
  const std::int64_t rank = out.rank(0);
  if (rank < 1) return {};
  const auto op = read_op<Rfft>(out.node());
  Value* x = &transform(out, unsqueeze(out, *out.input(0), rank), -2, false, true);
  for (std::int64_t i = 1; i < op.signal_axes; ++i) x = &transform(out, *x, -2 - i, false, false);
  return {x};
}

Results irfft(Decomposition& out) {
  const std::int64_t rank = out.rank(0);
  if (rank < 2) return {};
  const auto op = read_op<Irfft>(out.node());
  Value* x = out.input(0);
  for (std::int64_t i = op.signal_axes - 1; i > 0; --i)
    x = &transform(out, *x, -2 - i, true, false);
  return {&squeeze(out, transform(out, *x, -2, true, true), rank - 1)};
}

/// a * b, or a * conjugate of b.
Results complex_product(Decomposition& out, bool conjugates) {
  const std::int64_t ranks[] = {out.rank(0), out.rank(1)};
  if (ranks[0] < 1 || ranks[1] < 1) return {};
  const auto part = [&](std::int64_t input, std::int64_t index) -> Value* {
    return &slice_axis(out, *out.input(input), ranks[input] - 1, index, index + 1);
  };
  Value* const a[] = {part(0, 0), part(0, 1)};
  Value* const b[] = {part(1, 0), part(1, 1)};
  Value& straight = out.add("Mul", {a[0], b[0]});
  Value& crossed = out.add("Mul", {a[1], b[1]});
  Value& first = out.add("Mul", {a[1], b[0]});
  Value& second = out.add("Mul", {a[0], b[1]});
  Value& real = out.add(conjugates ? "Add" : "Sub", {&straight, &crossed});
  Value& imaginary = out.add(conjugates ? "Sub" : "Add", {&first, &second});
  return {&out.add("Concat", {&real, &imaginary},
                   plain_attributes({{"axis", std::max(ranks[0], ranks[1]) - 1}}))};
}

Results complex_mul(Decomposition& out) {
  return complex_product(out, false);
}

Results complex_mul_conj(Decomposition& out) {
  return complex_product(out, true);
}

/// |a|² - 2ab + |b|² for each pair of rows.
Value& squared_distances(Decomposition& out, Value& products) {
  Value& a = *out.input(0);
  Value& b = *out.input(1);
  Value& a_norm = reduce(out, "ReduceSum", out.add("Mul", {&a, &a}), {1}, true);
  Value& b_norm = reduce(out, "ReduceSum", out.add("Mul", {&b, &b}), {1}, false);
  Value& twice = out.add("Mul", {&products, &out.number(-2)});
  Value& sum = out.add("Add", {&out.add("Add", {&twice, &a_norm}), &b_norm});
  return out.add("Relu", {&sum});
}

Value& cosine_distances(Decomposition& out, Value& products) {
  Value& a = *out.input(0);
  Value& b = *out.input(1);
  Value& a_norm = out.add("Sqrt", {&reduce(out, "ReduceSum", out.add("Mul", {&a, &a}), {1}, true)});
  Value& b_norm =
      out.add("Sqrt", {&reduce(out, "ReduceSum", out.add("Mul", {&b, &b}), {1}, false)});
  Value& scaled = out.add("Div", {&out.add("Div", {&products, &a_norm}), &b_norm});
  return out.add("Sub", {&out.number(1), &scaled});
}

/// Distances that are no functions of products.
Value& elementwise_distances(Decomposition& out, CDist::Metric metric) {
  using enum CDist::Metric;
  Value& a = unsqueeze(out, *out.input(0), 1);
  Value& b = unsqueeze(out, *out.input(1), 0);
  Value& distance = out.add("Abs", {&out.add("Sub", {&a, &b})});
  switch (metric) {
    case chebyshev:
      return reduce(out, "ReduceMax", distance, {2}, false);
    case canberra: {
      Value& sum = out.add("Add", {&out.add("Abs", {&a}), &out.add("Abs", {&b})});
      const auto least = static_cast<double>(std::numeric_limits<float>::min());
      Value& positive = out.add("Max", {&sum, &out.number(least)});
      return reduce(out, "ReduceSum", out.add("Div", {&distance, &positive}), {2}, false);
    }
    case bray_curtis: {
      Value& sum = out.add("Abs", {&out.add("Add", {&a, &b})});
      return out.add("Div", {&reduce(out, "ReduceSum", distance, {2}, false),
                             &reduce(out, "ReduceSum", sum, {2}, false)});
    }
    case hamming: {
      Value& differs = out.add("Sign", {&distance});
      return reduce(out, "ReduceMean", differs, {2}, false);
    }
    default:
      return reduce(out, "ReduceSum", distance, {2}, false);
  }
}

Results cdist(Decomposition& out) {
  using enum CDist::Metric;
  const CDist::Metric metric = read_op<CDist>(out.node()).metric;
  if (metric != euclidean && metric != squared_euclidean && metric != cosine)
    return {&elementwise_distances(out, metric)};
  Value& products = out.add("MatMul", {out.input(0), &transpose(out, *out.input(1), {1, 0})});
  if (metric == cosine) return {&cosine_distances(out, products)};
  Value& squares = squared_distances(out, products);
  return {metric == euclidean ? &out.add("Sqrt", {&squares}) : &squares};
}

}  // namespace

std::span<const DecompositionRow> legacy_math_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"CDist", cdist},
      {"ComplexMul", complex_mul},
      {"ComplexMulConj", complex_mul_conj},
      {"Irfft", irfft},
      {"Rfft", rfft},
  };
  return rows;
}

}  // namespace ortool
