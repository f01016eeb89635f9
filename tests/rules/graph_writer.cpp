// Writes random graphs as text with numbered names, joined from inputs, constants and nodes.
#include "tests/rules/graph_writer.hpp"

#include <algorithm>
#include <numeric>

#include "libcore/base/format.hpp"

namespace ortool::test {
namespace {

constexpr std::int64_t symbol_size = 3;
constexpr std::int64_t max_elements = 400;

std::string declared(const Made& value, bool has_symbol) {
  std::string text = list(value.sizes);
  if (has_symbol) text.replace(0, 1, "N");
  return format("float[{}] {}", text, value.name);
}

}  // namespace

std::int64_t count_of(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

std::string list(const Sizes& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

std::int64_t GraphWriter::below(std::int64_t count) {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return static_cast<std::int64_t>(state_ >> 11) % count;
}

Sizes GraphWriter::random_sizes() {
  Sizes sizes;
  const std::int64_t rank = 1 + below(4);
  for (std::int64_t i = 0; i < rank; ++i) sizes.push_back(1 + below(4));
  return sizes;
}

void GraphWriter::add_inputs() {
  const std::int64_t count = 1 + below(3);
  for (std::int64_t i = 0; i < count; ++i) {
    Made input{format("x{}", i), random_sizes()};
    const bool has_symbol = !input.sizes.empty() && input.sizes[0] == symbol_size && below(2) == 0;
    inputs_ += (inputs_.empty() ? "" : ", ") + declared(input, has_symbol);
    values_.push_back(std::move(input));
  }
}

const Made& GraphWriter::pick() {
  const auto count = static_cast<std::int64_t>(values_.size());
  const std::int64_t back = below(3) != 0 ? below(std::min<std::int64_t>(count, 3)) : below(count);
  return values_[static_cast<std::size_t>(count - 1 - back)];
}

void GraphWriter::keep(std::string name, Sizes sizes) {
  if (count_of(sizes) <= max_elements) values_.push_back({std::move(name), std::move(sizes)});
}

std::string GraphWriter::constant(std::string_view type, const Sizes& sizes,
                                  const std::function<std::string()>& number) {
  const std::string name = name_of('c');
  std::string text;
  for (std::int64_t i = 0; i < count_of(sizes); ++i) text += (i > 0 ? ", " : "") + number();
  const std::string shape = sizes.empty() ? std::string() : "[" + list(sizes) + "]";
  constants_ += ", " + std::string(type) + shape + " " + name + " = {" + text + "}";
  return name;
}

std::string GraphWriter::floats(const Sizes& sizes) {
  return constant("float", sizes, [&] { return std::to_string(below(9) - 4) + ".5"; });
}

std::string GraphWriter::filled(const Sizes& sizes, const std::string& number) {
  return constant("float", sizes, [&] { return number; });
}

std::string GraphWriter::integers(const Sizes& numbers) {
  std::size_t next = 0;
  return constant("int64", {static_cast<std::int64_t>(numbers.size())},
                  [&] { return std::to_string(numbers[next++]); });
}

std::string GraphWriter::node(const std::string& name, const std::string& inputs,
                              const std::string& attributes) {
  const std::string made = fresh();
  nodes_ += " " + made + " = " + name + (attributes.empty() ? "" : " <" + attributes + ">") + " (" +
            inputs + ")";
  return made;
}

std::string GraphWriter::finish() {
  std::string outputs;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string name = format("y{}", i);
    nodes_ += format(" {} = Abs ({})", name, pick().name);
    outputs += (outputs.empty() ? "" : ", ") + std::string("float[] ") + name;
  }
  return "g (" + inputs_ + ") => (" + outputs + ") <" + constants_ + "> {" + nodes_ + " }";
}

}  // namespace ortool::test
