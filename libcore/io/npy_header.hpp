// Header of NumPy's .npy files: element type, shape and order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libcore/tensor/data_type.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

/// An array description as written by NumPy
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
struct NpyHeader {
  enum class Text { none, bytes, unicode };  ///< how the elements of a string tensor are stored

  DataType type = DataType::undefined;
  Text text = Text::none;
  std::int64_t element_bytes = 0;  ///< as stored in the file
  bool is_big_endian = false;
  bool is_fortran_order = false;
  Shape shape;
  std::int64_t data_offset = 0;

  /// Size of the array data in the file, checked for overflow.
  std::int64_t data_bytes() const;
};

/// The maximum length of a header, measured from the start of the file.
constexpr std::int64_t max_npy_header_bytes = (std::int64_t{1} << 20) + 12;

/// Parses a header of versions 1 to 3 from the start of a file of `file_bytes` bytes; `prefix`
/// holds its first bytes, up to max_npy_header_bytes. Throws ErrorCode::invalid if it is not an
/// .npy file, truncated, or inconsistent with its size, and ErrorCode::unsupported for element
/// types without a counterpart (Python objects, records, dates).
NpyHeader parse_npy_header(std::span<const std::byte> prefix, std::int64_t file_bytes);

/// A header of version 1, padded to a multiple of 64 bytes. `descr` is NumPy's type string.
std::string make_npy_header(std::string_view descr, const Shape& shape);

}  // namespace ortool
