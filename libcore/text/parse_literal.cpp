// Parser for types and tensors; memory depends on the text, never on the claimed shape.
#include "libcore/text/parse_literal.hpp"

#include <cstring>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr int max_nesting = 32;

DataType parse_element_type(Scanner& scanner) {
  const std::string_view found = scanner.peek_word();
  const auto type = data_type_from_name(found);
  if (!type) scanner.fail_expected("an element type");
  scanner.word("an element type");
  return *type;
}

Dimension parse_dimension(Scanner& scanner) {
  if (scanner.accept('?')) return {};
  if (scanner.next_is_name()) {
    std::string symbol = scanner.name("a dimension");
    if (symbol.empty()) scanner.fail("a dimension's name is empty");
    return Dimension::symbol(std::move(symbol));
  }
  const std::int64_t number = scanner.integer("a dimension");
  if (number < 0) scanner.fail(format("dimension {} is negative", number));
  return number;
}

PartialShape parse_shape(Scanner& scanner) {
  if (!scanner.accept('[')) return Dimensions{};
  if (scanner.accept(']')) return std::nullopt;
  Dimensions dimensions;
  do {
    if (static_cast<std::int64_t>(dimensions.size()) >= Shape::max_dimensions)
      scanner.fail(format("there are more than {} dimensions", Shape::max_dimensions));
    dimensions.push_back(parse_dimension(scanner));
  } while (scanner.accept(','));
  scanner.expect(']');
  return dimensions;
}

ValueType parse_type_inside(Scanner& scanner, int depth) {
  if (depth > max_nesting) scanner.fail(format("types are nested deeper than {}", max_nesting));
  const std::string_view word = scanner.peek_word();
  ValueType type;
  if (word == "seq" || word == "optional") {
    type.kind = word == "seq" ? ValueType::Kind::sequence : ValueType::Kind::optional;
    scanner.word("a type");
    scanner.expect('(');
    type.inner = std::make_shared<ValueType>(parse_type_inside(scanner, depth + 1));
    scanner.expect(')');
  } else if (word == "map") {
    type.kind = ValueType::Kind::map;
    scanner.word("a type");
    scanner.expect('(');
    type.element = parse_element_type(scanner);
    scanner.expect(',');
    type.inner = std::make_shared<ValueType>(parse_type_inside(scanner, depth + 1));
    scanner.expect(')');
  } else if (word == "sparse_tensor") {
    type.kind = ValueType::Kind::sparse_tensor;
    scanner.word("a type");
    scanner.expect('(');
    type.element = parse_element_type(scanner);
    type.shape = parse_shape(scanner);
    scanner.expect(')');
  } else {
    type.kind = ValueType::Kind::tensor;
    type.element = parse_element_type(scanner);
    type.shape = parse_shape(scanner);
  }
  return type;
}

template <typename Float>
void store(Tensor& tensor, std::int64_t index, Float value) {
  std::memcpy(tensor.mutable_bytes() + index * static_cast<std::int64_t>(sizeof(Float)), &value,
              sizeof(Float));
}

void parse_float_part(Scanner& scanner, Tensor& tensor, std::int64_t index, bool is_double) {
  const NumberToken token = scanner.number();
  const auto value = to_double(token);
  const auto narrow = to_float(token);
  if (!value || !narrow) scanner.fail(format("{} is not a number", token.text));
  if (is_double) {
    store(tensor, index, *value);
  } else {
    // Not through double, which would round twice.
    store(tensor, index, *narrow);
  }
}

void parse_integer(Scanner& scanner, Tensor& tensor, std::int64_t index) {
  const DataType type = tensor.type();
  const NumberToken token = scanner.number();
  const auto refuse = [&]() {
    scanner.fail(format("{} is not an element of type {}", token.text, name_of(type)));
  };
  if (!token.is_whole) refuse();
  if (type == DataType::uint64) {
    const auto value = to_uint64(token);
    if (!value) refuse();
    store(tensor, index, *value);
    return;
  }
  const auto value = to_int64(token);
  if (!value) refuse();
  if (element_bits(type) < 64) {
    const int bits = element_bits(type) - (is_signed_integer(type) ? 1 : 0);
    const std::int64_t high = (std::int64_t{1} << bits) - 1;
    const std::int64_t low = is_signed_integer(type) ? -high - 1 : 0;
    if (*value < low || *value > high) refuse();
  }
  set_element(tensor, index, *value);
}

Tensor parse_string_elements(Scanner& scanner, Shape shape) {
  std::vector<std::string> strings;
  if (scanner.peek() != '}') {
    do {
      strings.push_back(scanner.quoted("a quoted string"));
    } while (scanner.accept(','));
  }
  scanner.expect('}');
  if (static_cast<std::int64_t>(strings.size()) != shape.element_count()) {
    scanner.fail(format("found {} elements where shape {} takes {}", strings.size(),
                        shape.to_string(), shape.element_count()));
  }
  return Tensor::of_strings(std::move(shape), std::move(strings));
}

}  // namespace

bool next_is_type(Scanner& scanner) {
  const std::string_view word = scanner.peek_word();
  return word == "seq" || word == "optional" || word == "map" || word == "sparse_tensor" ||
         data_type_from_name(word).has_value();
}

ValueType parse_type(Scanner& scanner) {
  return parse_type_inside(scanner, 0);
}

void parse_element(Scanner& scanner, Tensor& tensor, std::int64_t index) {
  const DataType type = tensor.type();
  switch (type) {
    case DataType::float32:
    case DataType::float64:
      return parse_float_part(scanner, tensor, index, type == DataType::float64);
    case DataType::complex64:
    case DataType::complex128:
      parse_float_part(scanner, tensor, 2 * index, type == DataType::complex128);
      scanner.accept(',');
      return parse_float_part(scanner, tensor, 2 * index + 1, type == DataType::complex128);
    case DataType::boolean: {
      const std::string_view word = scanner.peek_word();
      if (word == "true" || word == "false") {
        scanner.word("true or false");
        return set_element(tensor, index, std::int64_t{word == "true"});
      }
      const std::int64_t value = scanner.integer("true, false, 1 or 0");
      if (value != 0 && value != 1) scanner.fail(format("{} is not a bool", value));
      return set_element(tensor, index, value);
    }
    default:
      break;
  }
  if (is_integer(type)) return parse_integer(scanner, tensor, index);
  const NumberToken token = scanner.number();
  const auto value = to_double(token);
  if (!value) scanner.fail(format("{} is not a number", token.text));
  set_element(tensor, index, *value);
}

Tensor parse_elements(Scanner& scanner, const ValueType& type) {
  const auto known = type.is_tensor() ? to_known(type.shape) : std::nullopt;
  if (!known) scanner.fail("a tensor's elements need a type with a known shape");
  scanner.expect('{');
  if (type.element == DataType::string) return parse_string_elements(scanner, *known);
  const std::int64_t count = known->element_count();
  // Each element takes at least a character and a comma.
  if (count / 2 > static_cast<std::int64_t>(scanner.rest().size())) {
    scanner.fail(format("shape {} takes {} elements, more than the text contains",
                        known->to_string(), count));
  }
  Tensor tensor(type.element, *known);
  if (is_packed(type.element) && tensor.size_bytes() > 0)
    tensor.mutable_bytes()[tensor.size_bytes() - 1] = std::byte{0};
  for (std::int64_t i = 0; i < count; ++i) {
    if (i > 0 && !scanner.accept(',')) {
      scanner.fail(
          format("found {} elements where shape {} takes {}", i, known->to_string(), count));
    }
    parse_element(scanner, tensor, i);
  }
  if (scanner.peek() == ',')
    scanner.fail(format("more elements than shape {} takes", known->to_string()));
  scanner.expect('}');
  return tensor;
}

}  // namespace ortool
