// List attributes of classical models: class labels, and number lists whose lengths must agree.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// A vector of int64 or strings: whichever of the two attributes is present and not empty. Throws
/// ErrorCode::invalid when both or neither are.
Tensor read_labels(AttributeReader& attributes, std::string_view integers_name,
                   std::string_view strings_name);

/// The attribute's elements; empty when it is absent.
std::vector<float> read_floats(AttributeReader& attributes, std::string_view name);
std::vector<std::int64_t> read_integers(AttributeReader& attributes, std::string_view name);

/// The numbers of the list `name`, or of the tensor `name` + "_as_tensor". Throws
/// ErrorCode::invalid when both are present.
std::vector<double> read_listed_numbers(AttributeReader& attributes, std::string_view name);

/// The elements of a floating-point vector. Throws ErrorCode::invalid for any other tensor; `name`
/// is the name of its attribute.
std::vector<double> doubles_of_vector(const Tensor& tensor, std::string_view name);

/// Throws ErrorCode::invalid unless the list `name` has `expected` elements instead of `found`;
/// `what` says in the message what determines that number.
void check_list_size(std::string_view name, std::size_t found, std::size_t expected,
                     std::string_view what);

/// The number of pieces of `piece` elements in the list `name`. Throws ErrorCode::invalid when the
/// length is not a positive multiple, or when `piece` is below 1.
std::int64_t count_pieces(std::string_view name, std::size_t elements, std::int64_t piece,
                          std::string_view what);

}  // namespace ortool
