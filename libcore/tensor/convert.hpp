// Elements of any type as numbers, and tensors of one arithmetic type as another.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "libcore/tensor/float_formats.hpp"
#include "libcore/tensor/tensor.hpp"

namespace ortool {

/// Whether elements are numbers that convert() and its kin take: all but strings and complex ones.
bool is_arithmetic(DataType type);

/// `tensor` with elements of type `to`, as ONNX's Cast: integers wrap, floats become integers by
/// dropping the fraction (too large ones the nearest end, NaN 0), floats round once half to even,
/// to bool is "not zero". Counted against `cap`. Throws ErrorCode::unsupported for strings and
/// complex numbers, unless the type stays.
Tensor convert(const Tensor& tensor, DataType to, FloatCast cast = {}, MemoryCap* cap = nullptr);

/// Element `index` as a double: exact save for 64-bit integers above 2^53, which round.
double element_as_double(const Tensor& tensor, std::int64_t index);

/// Element `index` as an integer: exact for integers (uint64 above 2^63 wraps), floats as convert()
/// does.
std::int64_t element_as_int64(const Tensor& tensor, std::int64_t index);

/// Sets element `index` of a tensor of an arithmetic type, as convert() does. For tensors not yet
/// handed on.
void set_element(Tensor& tensor, std::int64_t index, double value);
void set_element(Tensor& tensor, std::int64_t index, std::int64_t value);

/// A tensor of rank 0.
Tensor make_scalar(DataType type, double value);
Tensor make_scalar(DataType type, std::int64_t value);

/// The elements from `first` on as doubles; as many as `out` holds.
void read_doubles(const Tensor& tensor, std::int64_t first, std::span<double> out);
/// The elements from `first` on as 64-bit integers, of an integer type or bool.
void read_integers(const Tensor& tensor, std::int64_t first, std::span<std::int64_t> out);

/// Element `index` as text: the shortest that reads back as the same element. nan, inf, -inf, true,
/// false; a string as it is; complex as "1-2i".
std::string element_text(const Tensor& tensor, std::int64_t index);

}  // namespace ortool
