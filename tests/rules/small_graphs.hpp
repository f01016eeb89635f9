// Builders of exhaustive rule cases: every list, shape and order of small numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ortool::test {

using Integers = std::vector<std::int64_t>;
using Graphs = std::vector<std::string>;

/// "1, 2, 3"
std::string listed(const Integers& numbers);

/// "int32[2, 3]"; "int32" for a scalar
std::string type_of(const char* element, const Integers& shape);

/// "int64[2] s = {1, 2}"
std::string vector_constant(std::string_view name, const Integers& numbers);

/// A graph of x whose result may have any shape.
std::string graph_of(const Integers& shape, const std::string& constants, const std::string& nodes);

/// Every list of `length` numbers in [low, high].
std::vector<Integers> lists(std::size_t length, std::int64_t low, std::int64_t high);

/// Every shape of `count` elements with at most `max_rank` dimensions.
std::vector<Integers> shapes_of(std::int64_t count, std::size_t max_rank);

/// Every permutation of `rank` axes.
std::vector<Integers> orders_of(std::int64_t rank);

}  // namespace ortool::test
