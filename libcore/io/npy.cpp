// Conversion of byte order, element order and strings between NumPy arrays and tensors.
#include "libcore/io/npy.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/tensor/counted_texts.hpp"

namespace ortool {
namespace {

/// The unit of byte swapping: complex numbers consist of two.
std::int64_t swapped_bytes(const NpyHeader& header) {
  if (header.text == NpyHeader::Text::unicode) return 4;
  if (header.text == NpyHeader::Text::bytes) return 1;
  const bool is_complex = header.type == DataType::complex64 || header.type == DataType::complex128;
  return is_complex ? header.element_bytes / 2 : header.element_bytes;
}

void swap_bytes(std::byte* data, std::int64_t size_bytes, std::int64_t unit_bytes) {
  for (std::int64_t i = 0; i + unit_bytes <= size_bytes; i += unit_bytes)
    std::reverse(data + i, data + i + unit_bytes);
}

/// Copies elements from column-major to row-major order.
void copy_from_fortran(const Shape& shape, std::int64_t element_bytes, const std::byte* in,
                       std::byte* out) {
  const std::int64_t count = shape.element_count();
  if (count == 0) return;
  const auto rank = static_cast<std::size_t>(shape.rank());
  std::vector<std::int64_t> strides(rank);
  std::vector<std::int64_t> position(rank, 0);
  std::int64_t stride = 1;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    strides[axis] = stride;
    stride *= shape.dimensions()[axis];
  }
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * element_bytes, in + offset * element_bytes,
                static_cast<std::size_t>(element_bytes));
    for (std::size_t axis = rank; axis-- > 0;) {
      offset += strides[axis];
      if (++position[axis] < shape.dimensions()[axis]) break;
      offset -= strides[axis] * shape.dimensions()[axis];
      position[axis] = 0;
    }
  }
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
    throw Error(ErrorCode::invalid,
                format("a string contains {}, which is not a Unicode character", code),
                "the file is damaged; write it again with numpy.save");
  }
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

std::string read_string(const NpyHeader& header, const std::byte* data) {
  std::string result;
  if (header.text == NpyHeader::Text::bytes) {
    result.assign(reinterpret_cast<const char*>(data),
                  static_cast<std::size_t>(header.element_bytes));
    result.resize(result.find_last_not_of('\0') + 1);
    return result;
  }
  std::int64_t length = header.element_bytes / 4;
  const auto code_at = [data](std::int64_t index) {
    std::uint32_t code = 0;
    std::memcpy(&code, data + index * 4, 4);
    return code;
  };
  while (length > 0 && code_at(length - 1) == 0) --length;
  for (std::int64_t i = 0; i < length; ++i) append_utf8(result, code_at(i));
  return result;
}

/// Decodes UTF-8 to code points; invalid bytes become U+FFFD.
std::vector<std::uint32_t> decode_utf8(std::string_view text) {
  std::vector<std::uint32_t> codes;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const int follow = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    constexpr std::uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    std::uint32_t code = follow == 0 ? lead : lead & (0x3fU >> follow);
    bool is_valid = lead < 0x80 || (lead >= 0xc2 && lead < 0xf5);
    for (std::size_t k = 1; is_valid && k <= static_cast<std::size_t>(follow); ++k) {
      const unsigned char next = i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0;
      is_valid = (next & 0xc0) == 0x80;
      code = code << 6 | (next & 0x3fU);
    }
    is_valid =
        is_valid && code >= least[follow] && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    codes.push_back(is_valid ? code : 0xfffd);
    i += is_valid ? static_cast<std::size_t>(follow) + 1 : 1;
  }
  return codes;
}

std::string_view descr_of(DataType type) {
  switch (type) {
    case DataType::boolean:
      return "|b1";
    case DataType::int8:
      return "|i1";
    case DataType::uint8:
      return "|u1";
    case DataType::int16:
      return "<i2";
    case DataType::uint16:
      return "<u2";
    case DataType::int32:
      return "<i4";
    case DataType::uint32:
      return "<u4";
    case DataType::int64:
      return "<i8";
    case DataType::uint64:
      return "<u8";
    case DataType::float16:
      return "<f2";
    case DataType::float32:
      return "<f4";
    case DataType::float64:
      return "<f8";
    case DataType::complex64:
      return "<c8";
    case DataType::complex128:
      return "<c16";
    default:
      throw Error(ErrorCode::unsupported, format("numpy has no element type for {}", name_of(type)),
                  "write it as .pb, or let the model end in a Cast to float32");
  }
}

Tensor strings_from(const NpyHeader& header, const std::byte* data, MemoryCap* cap) {
  Tensor result(DataType::string, header.shape, cap);
  std::span<std::string> strings = result.mutable_strings();
  for (std::size_t i = 0; i < strings.size(); ++i)
    strings[i] = read_string(header, data + static_cast<std::int64_t>(i) * header.element_bytes);
  return with_counted_texts(std::move(result), cap);
}

void make_string_npy(const Tensor& tensor, NpyParts& parts) {
  std::size_t longest = 1;
  for (const std::string& text : tensor.strings())
    longest = std::max(longest, decode_utf8(text).size());
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(longest * 4), tensor.element_count(),
                             &bytes) ||
      bytes > std::int64_t{1} << 32) {
    throw Error(ErrorCode::unsupported,
                format("numpy would need {} characters for each of {} strings", longest,
                       tensor.element_count()),
                "write it as .pb or .json");
  }
  parts.header = make_npy_header(format("<U{}", longest), tensor.shape());
  parts.owned.assign(static_cast<std::size_t>(bytes), '\0');
  std::size_t offset = 0;
  for (const std::string& text : tensor.strings()) {
    const std::vector<std::uint32_t> codes = decode_utf8(text);
    if (!codes.empty()) std::memcpy(parts.owned.data() + offset, codes.data(), codes.size() * 4);
    offset += longest * 4;
  }
  parts.data = std::as_bytes(std::span(parts.owned));
}

}  // namespace

Tensor tensor_from_npy_data(const NpyHeader& header, const Tensor& data, MemoryCap* cap) {
  const std::int64_t size_bytes = header.data_bytes();
  ORTOOL_CHECK(data.size_bytes() == size_bytes);
  const std::int64_t unit = swapped_bytes(header);
  const bool must_swap = header.is_big_endian && unit > 1;
  const bool must_transpose = header.is_fortran_order && header.shape.rank() > 1;
  // NumPy treats any nonzero byte as true; kernels require 1.
  const bool has_odd_bools =
      header.type == DataType::boolean &&
      std::any_of(data.bytes(), data.bytes() + size_bytes,
                  [](std::byte each) { return static_cast<unsigned>(each) > 1; });
  Tensor ordered = data;
  if (must_swap || must_transpose || has_odd_bools) {
    ordered = Tensor(DataType::uint8, Shape{size_bytes}, cap);
    std::byte* out = ordered.mutable_bytes();
    if (must_transpose) {
      copy_from_fortran(header.shape, header.element_bytes, data.bytes(), out);
    } else if (size_bytes > 0) {
      std::memcpy(out, data.bytes(), static_cast<std::size_t>(size_bytes));
    }
    if (must_swap) swap_bytes(out, size_bytes, unit);
    if (has_odd_bools)
      std::transform(out, out + size_bytes, out,
                     [](std::byte each) { return std::byte{each != std::byte{0}}; });
  }
  if (header.type == DataType::string) return strings_from(header, ordered.bytes(), cap);
  const Tensor view = Tensor::view(header.type, header.shape,
                                   {ordered.bytes(), static_cast<std::size_t>(size_bytes)},
                                   std::make_shared<Tensor>(ordered));
  if (view.is_aligned()) return view;
  Tensor copy(header.type, header.shape, cap);
  if (size_bytes > 0)
    std::memcpy(copy.mutable_bytes(), view.bytes(), static_cast<std::size_t>(size_bytes));
  return copy;
}

Tensor read_npy(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner,
                MemoryCap* cap) {
  const auto size = static_cast<std::int64_t>(bytes.size());
  const NpyHeader header = parse_npy_header(
      bytes.first(static_cast<std::size_t>(std::min(size, max_npy_header_bytes))), size);
  const std::span<const std::byte> data =
      bytes.subspan(static_cast<std::size_t>(header.data_offset));
  const Tensor raw =
      Tensor::view(DataType::uint8, Shape{static_cast<std::int64_t>(data.size())}, data, owner);
  return tensor_from_npy_data(header, raw, cap);
}

void make_npy(const Tensor& tensor, NpyParts& parts) {
  if (tensor.type() == DataType::string) return make_string_npy(tensor, parts);
  parts.header = make_npy_header(descr_of(tensor.type()), tensor.shape());
  parts.owned.clear();
  parts.data = {tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())};
}

void save_npy(const std::string& path, const Tensor& tensor) {
  NpyParts parts;
  make_npy(tensor, parts);
  AtomicFile file(path);
  file.write(parts.header);
  file.write(parts.data);
  file.commit();
}

}  // namespace ortool
