// Conversion between element types, and access to elements as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "libcore/tensor/float_formats.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Whether convert() and related functions support the type: all but string and complex ones.
bool is_arithmetic(DataType type);

/// Converts `tensor` to element type `to`, as ONNX's Cast does: integers wrap, floats are truncated
/// to integers (saturating, NaN to 0), floats are rounded once, half to even, and bool is "not
/// zero". Counted against `cap`. Throws ErrorCode::unsupported for strings and complex numbers,
/// unless the type stays.
Tensor convert(const Tensor& tensor, DataType to, FloatCast cast = {}, MemoryCap* cap = nullptr);

/// Element `index` as a double: exact, except that 64-bit integers above 2^53 are rounded.
double element_as_double(const Tensor& tensor, std::int64_t index);

/// Element `index` as an integer: exact for integers (uint64 above 2^63 wraps); floats as in
/// convert().
std::int64_t element_as_int64(const Tensor& tensor, std::int64_t index);

/// Sets element `index` of a tensor of an arithmetic type, converted as in convert(). Only for
/// tensors that are not shared yet.
void set_element(Tensor& tensor, std::int64_t index, double value);
void set_element(Tensor& tensor, std::int64_t index, std::int64_t value);

/// A tensor of rank 0.
Tensor make_scalar(DataType type, double value);
Tensor make_scalar(DataType type, std::int64_t value);

/// Reads elements from index `first` as doubles, as many as `out` holds.
void read_doubles(const Tensor& tensor, std::int64_t first, std::span<double> out);
/// Reads elements of an integer type or bool from index `first` as 64-bit integers.
void read_integers(const Tensor& tensor, std::int64_t first, std::span<std::int64_t> out);

/// Element `index` as text: the shortest form that parses to the same element. nan, inf, -inf,
/// true, false; strings unchanged; complex numbers as "1-2i".
std::string element_text(const Tensor& tensor, std::int64_t index);

}  // namespace ortool
