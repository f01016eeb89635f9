// Value and shape queries: conservative, what is unknown counts as no.
#include "libcore/optimize/rewrite/value_facts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "libcore/graph/symbol_sum.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/tensor/layout/transpose.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

/// Whether the symbol's name is that sum.
bool is_called(const Dimension& symbol, const Dimension& sum) {
  if (!symbol.is_symbol() || sum.is_symbol() || !sum.is_formula()) return false;
  const std::vector<std::string> summands = summands_of(symbol.symbol());
  return !summands.empty() && summands == summands_of(sum.to_string());
}

}  // namespace

DataType element_of(const Value& value) {
  return value.type().is_tensor() ? value.type().element : DataType::undefined;
}

bool is_float_tensor(const Value& value) {
  const DataType type = element_of(value);
  return type == DataType::float32 || type == DataType::float16 || type == DataType::bfloat16 ||
         type == DataType::float64;
}

const Dimensions* dimensions_of(const Value& value) {
  return value.type().is_tensor() && value.type().shape ? &*value.type().shape : nullptr;
}

std::optional<std::vector<std::int64_t>> spatial_sizes(const Value& value) {
  const Dimensions* shape = dimensions_of(value);
  if (shape == nullptr || shape->size() < 2) return std::nullopt;
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 2; i < shape->size(); ++i) {
    if (!(*shape)[i].is_known()) return std::nullopt;
    sizes.push_back((*shape)[i].number());
  }
  return sizes;
}

std::int64_t rank_of(const Value& value) {
  const Dimensions* dimensions = dimensions_of(value);
  return dimensions != nullptr ? static_cast<std::int64_t>(dimensions->size()) : -1;
}

bool are_equal(const Dimension& a, const Dimension& b) {
  if (a.is_unknown() || b.is_unknown()) return false;
  return a == b || is_called(a, b) || is_called(b, a);
}

bool are_equal(const Dimensions& a, const Dimensions& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Dimension& x, const Dimension& y) { return are_equal(x, y); });
}

bool have_equal_types(const Value& a, const Value& b) {
  const Dimensions* x = dimensions_of(a);
  const Dimensions* y = dimensions_of(b);
  return x != nullptr && y != nullptr && element_of(a) != DataType::undefined &&
         element_of(a) == element_of(b) && are_equal(*x, *y);
}

bool broadcasts_into(const Dimensions& from, const Dimensions& to) {
  if (from.size() > to.size()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Dimension& dimension = from[from.size() - 1 - i];
    if (dimension != Dimension(1) && !are_equal(dimension, to[to.size() - 1 - i])) return false;
  }
  return true;
}

std::optional<std::vector<std::int64_t>> written_shape(const Dimensions* from, const Dimensions& to,
                                                       bool zero_is_zero) {
  std::vector<std::int64_t> shape;
  int open = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i].is_known()) {
      // Next to a 0 no dimension can be inferred.
      if (to[i].number() == 0) return std::nullopt;
      shape.push_back(to[i].number() < 0 ? -1 : to[i].number());
    } else {
      const bool is_copied =
          !zero_is_zero && from != nullptr && i < from->size() && are_equal((*from)[i], to[i]);
      shape.push_back(is_copied ? 0 : -1);
    }
    open += shape.back() < 0;
  }
  return open <= 1 ? std::optional(std::move(shape)) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> order_of(const Node& transpose) {
  const Value* input = transpose.input(0);
  const std::int64_t rank = input != nullptr ? rank_of(*input) : -1;
  const auto op = read_op<Transpose>(transpose);
  if (op.permutation) return op.permutation;
  if (rank < 0) return std::nullopt;
  return op.order(rank);
}

bool moves_ones_alone(const Node& transpose) {
  const Dimensions* dimensions = dimensions_of(*transpose.input(0));
  const auto order = order_of(transpose);
  if (dimensions == nullptr || !order) return false;
  std::int64_t last = -1;
  for (const std::int64_t axis : *order) {
    const Dimension& dimension = (*dimensions)[static_cast<std::size_t>(axis)];
    if (dimension.is_known() && dimension.number() == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

bool is_filled_with(const Value& constant, double number) {
  if (!constant.is_constant()) return false;
  const Tensor& tensor = constant.constant();
  if (!is_floating_point(tensor.type()) || tensor.element_count() > (1 << 20)) return false;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (element_as_double(tensor, i) != number) return false;
  }
  return true;
}

bool is_exactly_filled_with(const Tensor& tensor, double number) {
  if (!is_floating_point(tensor.type()) || tensor.element_count() > (1 << 20)) return false;
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    const double element = element_as_double(tensor, i);
    if (element != number || std::signbit(element) != std::signbit(number)) return false;
  }
  return true;
}

Tensor filled(DataType type, const Shape& shape, double number) {
  Tensor tensor(type, shape);
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) set_element(tensor, i, number);
  return tensor;
}

}  // namespace ortool
