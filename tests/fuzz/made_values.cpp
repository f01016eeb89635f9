// Random values for fuzzed models, with one of four element distributions per tensor.
#include "tests/fuzz/made_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "libcore/base/random_bits.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool::test {
namespace {

constexpr std::int64_t max_elements = 65536;

enum class Style { small, spread, extreme, bits };

double float_element(RandomBits& random, Style style) {
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  constexpr std::array<double, 12> extremes = {
      0,      -0.0,    1,     -1,     infinity, -infinity, std::numeric_limits<double>::quiet_NaN(),
      3.4e38, -3.4e38, 1e-45, 9.3e18, -65504};
  const double fraction = random.fraction();
  if (style == Style::small) return static_cast<double>(random.below(8)) - 2;
  if (style == Style::spread) return fraction * 4 - 2;
  return extremes[random.below(extremes.size())];
}

std::int64_t integer_element(RandomBits& random, Style style) {
  constexpr std::array<std::int64_t, 10> extremes = {0,
                                                     1,
                                                     -1,
                                                     std::numeric_limits<std::int64_t>::max(),
                                                     std::numeric_limits<std::int64_t>::min(),
                                                     std::numeric_limits<std::int32_t>::max(),
                                                     std::numeric_limits<std::int32_t>::min(),
                                                     127,
                                                     -128,
                                                     std::int64_t{1} << 33};
  if (style == Style::small) return static_cast<std::int64_t>(random.below(4));
  if (style == Style::spread) return static_cast<std::int64_t>(random.below(16)) - 4;
  return extremes[random.below(extremes.size())];
}

Tensor made_strings(RandomBits& random, Shape shape) {
  static const std::array<std::string, 8> texts = {
      "", "a", "Text", "1.5e3", "nan", "\xc3\xa4\xe2\x82\xac", "\xff\xfe", "the quick brown fox"};
  std::vector<std::string> values;
  for (std::int64_t i = 0; i < shape.element_count(); ++i)
    values.push_back(texts[random.below(texts.size())]);
  return Tensor::of_strings(std::move(shape), std::move(values));
}

Tensor made_tensor(RandomBits& random, DataType type, Shape shape) {
  if (type == DataType::string) return made_strings(random, std::move(shape));
  Tensor tensor(type, std::move(shape));
  const auto style = static_cast<Style>(random.below(4));
  const bool is_any_bits = style == Style::bits && type != DataType::boolean;
  if (is_any_bits || !is_arithmetic(type)) {
    for (std::int64_t i = 0; i < tensor.size_bytes(); ++i)
      tensor.mutable_bytes()[i] = static_cast<std::byte>(random.next());
    return tensor;
  }
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_floating_point(type)) {
      set_element(tensor, i, float_element(random, style));
    } else {
      set_element(tensor, i, integer_element(random, style));
    }
  }
  return tensor;
}

/// Generates random values of given types; each symbol keeps its size.
class ValueGenerator {
 public:
  explicit ValueGenerator(std::uint64_t seed) : random_(seed) {}

  RunValue make(const ValueType& type, bool may_be_left_out) {
    using Kind = ValueType::Kind;
    switch (type.kind) {
      case Kind::tensor:
        return made_tensor(random_, type.element, shape_of(type));
      case Kind::sequence: {
        std::vector<RunValue> elements;
        if (type.inner == nullptr) break;
        for (std::size_t count = random_.below(4); count > 0; --count)
          elements.push_back(make(*type.inner, false));
        return RunValue::sequence(std::move(elements));
      }
      case Kind::optional:
        if (type.inner == nullptr) break;
        if (may_be_left_out && random_.below(3) == 0) return {};
        return make(*type.inner, false);
      default:
        break;
    }
    throw Error(ErrorCode::unsupported, "no value is made up for this type");
  }

 private:
  Shape shape_of(const ValueType& type) {
    constexpr std::array<std::int64_t, 8> sizes = {1, 2, 3, 4, 5, 8, 0, 17};
    std::vector<std::int64_t> numbers;
    if (!type.shape) {
      for (std::size_t rank = random_.below(5); rank > 0; --rank)
        numbers.push_back(sizes[random_.below(sizes.size())]);
      return Shape(std::move(numbers));
    }
    std::int64_t elements = 1;
    for (const Dimension& dimension : *type.shape) {
      std::int64_t number = sizes[random_.below(sizes.size())];
      if (dimension.is_known()) {
        number = dimension.number();
      } else if (dimension.is_symbol()) {
        number = symbols_.emplace(dimension.symbol(), number).first->second;
      }
      numbers.push_back(number);
      if (number > max_elements / std::max<std::int64_t>(elements, 1))
        throw Error(ErrorCode::unsupported, "no value of this size is made up");
      elements *= number;
    }
    return Shape(std::move(numbers));
  }

  RandomBits random_;
  std::map<std::string, std::int64_t> symbols_;
};

bool is_random_in(const Graph& graph) {
  constexpr std::array<std::string_view, 6> names = {"Bernoulli",     "Multinomial",
                                                     "RandomNormal",  "RandomNormalLike",
                                                     "RandomUniform", "RandomUniformLike"};
  for (const Node& node : graph.nodes()) {
    const bool is_drawn = node.op_type() == "Dropout" ||
                          std::find(names.begin(), names.end(), node.op_type()) != names.end();
    if (is_drawn) return true;
    for (const Graph* body : node.subgraphs()) {
      if (is_random_in(*body)) return true;
    }
  }
  return false;
}

}  // namespace

NamedValues made_inputs(const Session& session, std::uint64_t seed) {
  ValueGenerator generator(seed);
  NamedValues inputs;
  for (const Value* input : session.inputs())
    inputs.emplace_back(std::string(input->name()), generator.make(input->type(), true));
  return inputs;
}

bool is_random(const Model& model) {
  return is_random_in(*model.graph);
}

}  // namespace ortool::test
