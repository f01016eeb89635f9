// Attributes of classical models that come as lists: labels, and numbers that must agree in count.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// A vector of int64 or of strings: whichever of the two attributes is given and not empty. Throws
/// ErrorCode::invalid when both or none are.
Tensor read_labels(AttributeReader& attributes, std::string_view integers_name,
                   std::string_view strings_name);

/// The attribute's elements, none when it is not given.
std::vector<float> read_floats(AttributeReader& attributes, std::string_view name);
std::vector<std::int64_t> read_integers(AttributeReader& attributes, std::string_view name);

/// The numbers of the list `name`, or of the tensor `name` + "_as_tensor". Throws
/// ErrorCode::invalid when both are given.
std::vector<double> read_listed_numbers(AttributeReader& attributes, std::string_view name);

/// The elements of a vector of a floating-point type. Throws ErrorCode::invalid for another tensor;
/// `name` is its attribute's.
std::vector<double> doubles_of_vector(const Tensor& tensor, std::string_view name);

/// Throws ErrorCode::invalid unless the list `name` of `found` elements has `expected`; `what` says
/// what there are so many of.
void check_list_size(std::string_view name, std::size_t found, std::size_t expected,
                     std::string_view what);

/// How many pieces of `piece` elements the list `name` consists of. Throws ErrorCode::invalid when
/// some are left over, there are none, or `piece` is below 1.
std::int64_t count_pieces(std::string_view name, std::size_t elements, std::int64_t piece,
                          std::string_view what);

}  // namespace ortool
