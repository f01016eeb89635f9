// Parser for types and tensors.
#pragma once

#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/tensor.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool {

/// Whether a type comes next.
bool next_is_type(Scanner& scanner);

/// `float[N, 3, ?]`, `float` for a scalar, `float[]` for an unknown rank, `seq(T)`, `optional(T)`,
/// `map(int64, T)`, `sparse_tensor(T)`. Element types by either of their names.
ValueType parse_type(Scanner& scanner);

/// Parses the elements, in braces, of a tensor whose type has been parsed already and has only
/// known dimensions: `{1, 2}`. Complex elements are two numbers each.
Tensor parse_elements(Scanner& scanner, const ValueType& type);

/// Parses one element of type `type` into `tensor`, which must have an arithmetic type.
void parse_element(Scanner& scanner, Tensor& tensor, std::int64_t index);

}  // namespace ortool
