// Printer for types, tensors and numbers, in the syntax of parse_literal.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "libcore/graph/attribute.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

struct PrintOptions {
  /// Tensors with more elements are printed as `{...}`, which cannot be parsed; -1: no limit.
  std::int64_t max_elements = -1;
};

std::string print_type(const ValueType& type);

/// With a decimal point, an exponent, inf or nan, so that it is not parsed as an integer.
std::string print_float(float value);

/// The elements in braces, without the type: `{1, 2}`.
std::string print_elements(const Tensor& tensor, const PrintOptions& options);

/// `float[2] {1, 2}`.
std::string print_tensor(const Tensor& tensor, const PrintOptions& options = {});

/// `sparse_tensor(float[3, 4]) {float[2] {1, 2}, int64[2] {0, 5}}`.
std::string print_sparse_tensor(const SparseTensor& tensor, const PrintOptions& options);

}  // namespace ortool
