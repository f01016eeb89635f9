// The header of numpy's .npy files: element type, shape and order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libcore/tensor/data_type.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

/// What numpy wrote about its array
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
struct NpyHeader {
  enum class Text { none, bytes, unicode };  ///< how the elements of a string tensor are kept

  DataType type = DataType::undefined;
  Text text = Text::none;
  std::int64_t element_bytes = 0;  ///< in the file
  bool is_big_endian = false;
  bool is_fortran_order = false;
  Shape shape;
  std::int64_t data_offset = 0;

  /// Bytes of the elements in the file; checked against overflow.
  std::int64_t data_bytes() const;
};

/// The longest prefix of a file that a header may take.
constexpr std::int64_t most_npy_header_bytes = (std::int64_t{1} << 20) + 12;

/// Reads the header of versions 1 to 3 from the beginning of a file of `file_bytes` bytes, of which
/// `prefix` holds as many as there are up to most_npy_header_bytes. Throws ErrorCode::invalid for
/// what is no such file, cut, or contradicts its size, and ErrorCode::unsupported for element types
/// without a counterpart (Python objects, records, dates).
NpyHeader parse_npy_header(std::span<const std::byte> prefix, std::int64_t file_bytes);

/// A header of version 1, padded to a multiple of 64 bytes. `descr` is numpy's name of the type.
std::string make_npy_header(std::string_view descr, const Shape& shape);

}  // namespace ortool
