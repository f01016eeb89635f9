// Strict parser for the Python dictionary literal of an .npy header.
#include "libcore/io/npy_header.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::string_view damaged_hint = "the file is damaged; write it again with numpy.save";
constexpr std::int64_t max_element_bytes = std::int64_t{1} << 24;

[[noreturn]] void fail_npy(std::string message, std::string_view hint = damaged_hint) {
  throw Error(ErrorCode::invalid, std::move(message), std::string(hint));
}

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw Error(ErrorCode::unsupported, std::move(message), std::move(hint));
}

/// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  void parse(std::string& descr, bool& is_fortran_order, std::vector<std::int64_t>& shape) {
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !has_descr) {
        if (peek() == '[') {
          refuse("the array contains records with several fields",
                 "save each field as an array of its own");
        }
        descr = quoted();
        has_descr = true;
      } else if (key == "fortran_order" && !has_order) {
        is_fortran_order = boolean();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        shape = tuple();
        has_shape = true;
      } else {
        fail_npy(format("the .npy header has an unknown or repeated key '{}'",
                        escape_control_characters(key.substr(0, 40))));
      }
      if (!accept(',') && peek() != '}') broken("',' or '}'");
    }
    skip_spaces();
    if (position_ != text_.size()) broken("the end");
    if (!has_descr || !has_order || !has_shape)
      fail_npy("the .npy header lacks one of 'descr', 'fortran_order' and 'shape'");
  }

 private:
  [[noreturn]] void broken(std::string_view wanted) const {
    fail_npy(
        format("the .npy header is not a dictionary as numpy writes it: {} expected at its byte {}",
               wanted, position_));
  }

  void skip_spaces() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n' ||
                                        text_[position_] == '\t' || text_[position_] == '\r'))
      ++position_;
  }

  char peek() {
    skip_spaces();
    return position_ < text_.size() ? text_[position_] : '\0';
  }

  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++position_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) broken(std::string(1, '\'') + wanted + "'");
  }

  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') broken("a quoted word");
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) broken("a closing quote");
    const std::string_view word = text_.substr(position_ + 1, end - position_ - 1);
    if (word.find('\\') != std::string_view::npos) broken("a word without '\\'");
    position_ = end + 1;
    return std::string(word);
  }

  bool boolean() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"}) {
      if (text_.substr(position_, word.size()) == word) {
        position_ += word.size();
        return word == "True";
      }
    }
    broken("True or False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> result;
    expect('(');
    while (!accept(')')) {
      if (static_cast<std::int64_t>(result.size()) >= Shape::max_dimensions)
        fail_npy(
            format("the .npy header's shape has more than {} dimensions", Shape::max_dimensions));
      result.push_back(number());
      if (!accept(',') && peek() != ')') broken("',' or ')'");
    }
    return result;
  }

  std::int64_t number() {
    peek();
    std::int64_t value = 0;
    const std::size_t start = position_;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[position_] - '0', &value))
        fail_npy("the .npy header's shape contains a number above 2^63");
      ++position_;
    }
    if (position_ == start) broken("a size");
    // Python 2 wrote long integers with this suffix.
    if (position_ < text_.size() && text_[position_] == 'L') ++position_;
    return value;
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

struct TypeRow {
  std::string_view code;
  DataType type;
};

constexpr TypeRow type_rows[] = {
    {"b1", DataType::boolean},   {"i1", DataType::int8},        {"u1", DataType::uint8},
    {"i2", DataType::int16},     {"u2", DataType::uint16},      {"i4", DataType::int32},
    {"u4", DataType::uint32},    {"i8", DataType::int64},       {"u8", DataType::uint64},
    {"f2", DataType::float16},   {"f4", DataType::float32},     {"f8", DataType::float64},
    {"c8", DataType::complex64}, {"c16", DataType::complex128},
};

std::int64_t parse_count(std::string_view digits, std::string_view descr) {
  std::int64_t value = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9' || value > max_element_bytes)
      fail_npy(format("'{}' is not an element type of numpy", escape_control_characters(descr)));
    value = value * 10 + (digit - '0');
  }
  return value;
}

void parse_descr(std::string_view descr, NpyHeader& header) {
  const std::string shown = escape_control_characters(descr.substr(0, 40));
  std::string_view code = descr;
  if (!code.empty() && std::string_view("<>|=").find(code.front()) != std::string_view::npos) {
    header.is_big_endian = code.front() == '>';
    code.remove_prefix(1);
  }
  for (const TypeRow& row : type_rows) {
    if (row.code == code) {
      header.type = row.type;
      header.element_bytes = element_bits(row.type) / 8;
      return;
    }
  }
  const char kind = code.empty() ? '\0' : code.front();
  switch (kind) {
    case 'S':
    case 'a':
    case 'U': {
      const std::int64_t length = parse_count(code.substr(1), shown);
      if (code.size() < 2 || length > max_element_bytes)
        fail_npy(format("'{}' is not an element type of numpy", shown));
      header.type = DataType::string;
      header.text = kind == 'U' ? NpyHeader::Text::unicode : NpyHeader::Text::bytes;
      header.element_bytes = kind == 'U' ? 4 * length : length;
      return;
    }
    case 'O':
      refuse("the array contains Python objects, which are pickled code and are never read",
             "save it with a number or string type: array.astype(str) or astype(float)");
    case 'V':
      refuse(format("elements of type '{}' are raw bytes without a meaning", shown),
             "numpy stores bfloat16, float8 and 4-bit types so; save them as float32, or as a "
             "TensorProto in a .pb file");
    case 'M':
    case 'm':
      refuse(format("elements of type '{}' are dates", shown), "save them as int64");
    case 'f':
    case 'c':
      refuse(format("elements of type '{}' have no equivalent in ONNX", shown),
             "save them as float64 or float32");
    default:
      fail_npy(format("'{}' is not an element type of numpy", shown));
  }
}

std::int64_t little_endian(std::span<const std::byte> bytes, std::size_t offset, int count) {
  std::int64_t value = 0;
  for (int i = count - 1; i >= 0; --i)
    value = value << 8 | static_cast<std::int64_t>(bytes[offset + static_cast<std::size_t>(i)]);
  return value;
}

}  // namespace

std::int64_t NpyHeader::data_bytes() const {
  const std::int64_t count = shape.element_count();
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, element_bytes, &bytes))
    fail_npy(format("the .npy header's shape {} needs more than 2^63 bytes", shape.to_string()));
  return bytes;
}

NpyHeader parse_npy_header(std::span<const std::byte> prefix, std::int64_t file_bytes) {
  const std::string_view text(reinterpret_cast<const char*>(prefix.data()), prefix.size());
  if (text.size() < magic.size() + 4) {
    if (text.substr(0, magic.size()) == magic.substr(0, text.size()))
      fail_npy(format("the .npy file ends in its header, after {} bytes", text.size()));
  }
  if (text.substr(0, magic.size()) != magic)
    fail_npy("this is not an .npy file: it does not begin with \\x93NUMPY",
             "give a file written with numpy.save");
  const int version = static_cast<int>(prefix[6]);
  if (version < 1 || version > 3) {
    refuse(format("version {} of the .npy format is unknown (1 to 3 are supported)", version),
           "write the file again with numpy.save");
  }
  const int length_bytes = version == 1 ? 2 : 4;
  const auto start = static_cast<std::int64_t>(magic.size()) + 2 + length_bytes;
  if (static_cast<std::int64_t>(prefix.size()) < start)
    fail_npy(format("the .npy file ends in its header, after {} bytes", prefix.size()));
  const std::int64_t length = little_endian(prefix, 8, length_bytes);
  const std::int64_t most = version == 1 ? std::int64_t{1} << 16 : std::int64_t{1} << 20;
  if (length > most)
    fail_npy(format("the .npy header declares {} bytes (at most {} are allowed)", length, most));
  if (length > file_bytes - start || length > static_cast<std::int64_t>(prefix.size()) - start) {
    fail_npy(format("the .npy header declares {} bytes, but {} are left in the file", length,
                    file_bytes - start));
  }
  NpyHeader header;
  std::string descr;
  std::vector<std::int64_t> shape;
  HeaderParser(text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(length)))
      .parse(descr, header.is_fortran_order, shape);
  parse_descr(descr, header);
  header.shape = Shape(std::move(shape));
  header.data_offset = start + length;
  const std::int64_t needed = header.data_bytes();
  const std::int64_t present = file_bytes - header.data_offset;
  if (needed != present) {
    fail_npy(format("shape {} of type '{}' takes {} bytes, but {} follow the .npy header",
                    header.shape.to_string(), escape_control_characters(descr), needed, present));
  }
  if (header.element_bytes == 0 && header.shape.element_count() > 0)
    fail_npy("the array has strings of no bytes", "save it with a type such as '<U1'");
  return header;
}

std::string make_npy_header(std::string_view descr, const Shape& shape) {
  std::string dictionary = format("{'descr': '{}', 'fortran_order': False, 'shape': (", descr);
  for (const std::int64_t dimension : shape) dictionary += std::to_string(dimension) + ", ";
  if (shape.rank() > 1) dictionary.resize(dictionary.size() - 2);
  if (shape.rank() == 1) dictionary.pop_back();
  dictionary += "), }";
  const std::size_t unpadded = magic.size() + 4 + dictionary.size() + 1;
  dictionary.append((64 - unpadded % 64) % 64, ' ');
  dictionary += '\n';
  std::string header(magic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

}  // namespace ortool
