// Parser of operator case files.
#include "tests/ops/case_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/base/random_bits.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/text/parse_literal.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool::test {
namespace {

constexpr std::int64_t max_elements = std::int64_t{1} << 26;

struct CodeName {
  std::string_view name;
  ErrorCode code;
};

constexpr std::array<CodeName, 4> code_names = {{{"invalid", ErrorCode::invalid},
                                                 {"unsupported", ErrorCode::unsupported},
                                                 {"memory_limit", ErrorCode::memory_limit},
                                                 {"timeout", ErrorCode::timeout}}};

double read_number(Scanner& scanner) {
  const NumberToken token = scanner.number();
  const auto value = to_double(token);
  if (!value) scanner.fail(format("{} is no number", token.text));
  return *value;
}

void fill_random(Scanner& scanner, Tensor& tensor) {
  const auto seed = static_cast<std::uint64_t>(scanner.integer("a seed"));
  const double low = read_number(scanner);
  const double high = read_number(scanner);
  if (!(low <= high)) scanner.fail("the lower end of random numbers is above the upper");
  RandomBits random(seed);
  const bool is_float = is_floating_point(tensor.type());
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_float) {
      set_element(tensor, i, low + (high - low) * random.fraction());
    } else {
      const double value = std::floor(low + (high - low + 1) * random.fraction());
      set_element(tensor, i, static_cast<std::int64_t>(value));
    }
  }
}

Tensor read_strings(Scanner& scanner, Shape shape) {
  std::vector<std::string> strings;
  while (!scanner.at_end()) strings.push_back(scanner.quoted("a text in quotes"));
  if (static_cast<std::int64_t>(strings.size()) != shape.element_count()) {
    scanner.fail(format("found {} elements where shape {} takes {}", strings.size(),
                        shape.to_string(), shape.element_count()));
  }
  return Tensor::of_strings(std::move(shape), std::move(strings));
}

Tensor read_values(Scanner& scanner, DataType type, Shape shape) {
  const std::int64_t count = shape.element_count();
  if (count > max_elements) scanner.fail(format("{} elements are too many for a case", count));
  if (type == DataType::string) return read_strings(scanner, std::move(shape));
  Tensor tensor(type, std::move(shape));
  std::fill_n(tensor.mutable_bytes(), tensor.size_bytes(), std::byte{0});
  if (scanner.peek_word() == "random") {
    scanner.word("random");
    if (!is_arithmetic(type)) scanner.fail("random elements must be numbers");
    fill_random(scanner, tensor);
    return tensor;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (scanner.at_end()) {
      scanner.fail(format("found {} elements where shape {} takes {}", i,
                          tensor.shape().to_string(), count));
    }
    parse_element(scanner, tensor, i);
  }
  return tensor;
}

/// `NAME TYPE[SIZES] = VALUES`.
CaseTensor read_tensor(Scanner& scanner, bool is_output) {
  CaseTensor result;
  result.name = scanner.name("a name");
  const auto type = data_type_from_name(scanner.peek_word());
  if (!type) scanner.fail_expected("an element type");
  scanner.word("an element type");
  std::vector<std::int64_t> dimensions;
  scanner.expect('[');
  if (!scanner.accept(']')) {
    do {
      dimensions.push_back(scanner.integer("a dimension"));
    } while (scanner.accept(','));
    scanner.expect(']');
  }
  Shape shape(std::move(dimensions));
  scanner.expect('=');
  const std::string_view word = scanner.peek_word();
  if (is_output && (word == "baseline" || word == "variants")) {
    scanner.word("baseline");
  } else {
    result.tensor = read_values(scanner, *type, std::move(shape));
  }
  return result;
}

void read_opset(Scanner& scanner, OpsetImports& opsets) {
  std::string domain;
  while (!scanner.next_is_number()) {
    if (!domain.empty()) scanner.expect('.');
    domain += (domain.empty() ? "" : ".") + scanner.name("a domain or a version");
  }
  if (domain == "ai.onnx") domain.clear();
  opsets[domain] = scanner.integer("a version");
}

void read_tolerance(Scanner& scanner, Tolerance& tolerance) {
  while (!scanner.at_end()) {
    const std::string_view which = scanner.word("rtol or atol");
    if (which != "rtol" && which != "atol") scanner.fail("rtol or atol expected");
    (which == "rtol" ? tolerance.rtol : tolerance.atol) = read_number(scanner);
  }
}

ExpectedError read_error(Scanner& scanner) {
  const std::string_view name = scanner.word("a code");
  const auto* found = std::find_if(code_names.begin(), code_names.end(),
                                   [&](const CodeName& each) { return each.name == name; });
  if (found == code_names.end())
    scanner.fail(format("'{}' is no code: invalid, unsupported, memory_limit or timeout", name));
  return {found->code, scanner.at_end() ? std::string() : scanner.quoted("a part of the message")};
}

void read_line(std::string_view keyword, std::string_view rest, OpCase& result) {
  Scanner scanner(rest);
  if (keyword == "opset") {
    read_opset(scanner, result.opsets);
  } else if (keyword == "node") {
    result.nodes.append(rest).append("\n");
    return;
  } else if (keyword == "input") {
    result.inputs.push_back(read_tensor(scanner, false));
  } else if (keyword == "constant") {
    result.constants.push_back(read_tensor(scanner, false));
  } else if (keyword == "output") {
    result.outputs.push_back(read_tensor(scanner, true));
  } else if (keyword == "tolerance") {
    read_tolerance(scanner, result.tolerance);
  } else if (keyword == "fails") {
    result.error = read_error(scanner);
  } else {
    throw Error(ErrorCode::invalid, format("'{}' begins no line of a case", keyword));
  }
  if (!scanner.at_end()) scanner.fail_expected("the end of the line");
}

void check_case(const OpCase& each) {
  const auto fail = [&](std::string_view what) {
    throw Error(ErrorCode::invalid, format("case '{}' {}", each.name, what))
        .in(format("line {}", each.line));
  };
  if (each.nodes.empty()) fail("has no node");
  if (each.opsets.empty()) fail("has no opset");
  if (each.outputs.empty() == !each.error) fail("needs outputs or an error, and not both");
}

}  // namespace

std::vector<OpCase> parse_case_file(std::string_view text) {
  std::vector<OpCase> cases;
  if (!text.starts_with("# "))
    throw Error(ErrorCode::invalid, "line 1: a sentence after '#' expected that says what this is");
  int number = 0;
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    int lines = 1;
    // Indented lines continue the line before.
    while (end != std::string_view::npos && end + 1 < text.size() && text[end + 1] == ' ') {
      end = text.find('\n', end + 1);
      ++lines;
    }
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const int first_line = number + 1;
    number += lines;
    line = line.substr(0, line.find_last_not_of(" \r\n") + 1);
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.find(' ');
    const std::string_view keyword = line.substr(0, space);
    const std::string_view rest = space == std::string_view::npos ? "" : line.substr(space + 1);
    try {
      if (keyword == "case") {
        if (rest.empty()) throw Error(ErrorCode::invalid, "a case has no name");
        cases.push_back({.name = std::string(rest), .line = first_line});
      } else if (cases.empty()) {
        throw Error(ErrorCode::invalid, "a line stands before the first case");
      } else {
        read_line(keyword, rest, cases.back());
      }
    } catch (Error& error) {
      error.in(format("line {}", first_line));
      throw;
    }
  }
  for (const OpCase& each : cases) check_case(each);
  return cases;
}

}  // namespace ortool::test
