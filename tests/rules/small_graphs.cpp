// Builders of small graphs as text, so that a failing one can be read.
#include "tests/rules/small_graphs.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"

namespace ortool::test {

std::string listed(const Integers& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

std::string type_of(const char* element, const Integers& shape) {
  return shape.empty() ? std::string(element) : format("{}[{}]", element, listed(shape));
}

std::string vector_constant(std::string_view name, const Integers& numbers) {
  return format("int64[{}] {} = ", numbers.size(), name) + "{" + listed(numbers) + "}";
}

std::string graph_of(const Integers& shape, const std::string& constants,
                     const std::string& nodes) {
  return "g (" + type_of("int32", shape) + " x) => (int32[] y) <" + constants + "> { a = Neg (x) " +
         nodes + " y = Abs (z) }";
}

std::vector<Integers> lists(std::size_t length, std::int64_t low, std::int64_t high) {
  std::vector<Integers> all = {{}};
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Integers> longer;
    for (const Integers& each : all) {
      for (std::int64_t number = low; number <= high; ++number) {
        longer.push_back(each);
        longer.back().push_back(number);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<Integers> shapes_of(std::int64_t count, std::size_t max_rank) {
  std::vector<Integers> shapes;
  for (std::size_t rank = 1; rank <= max_rank; ++rank) {
    for (const Integers& each : lists(rank, 1, count)) {
      if (std::accumulate(each.begin(), each.end(), std::int64_t{1}, std::multiplies<>()) == count)
        shapes.push_back(each);
    }
  }
  return shapes;
}

std::vector<Integers> orders_of(std::int64_t rank) {
  Integers order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  std::vector<Integers> orders;
  do {
    orders.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

}  // namespace ortool::test
