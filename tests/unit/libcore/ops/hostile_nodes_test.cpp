// Random nodes of every operator and version: shape rules refuse them or infer valid shapes.
#include <array>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

constexpr int nodes_a_version = 60;

/// Random choices about a node.
class Chance {
 public:
  explicit Chance(std::uint32_t seed) : engine_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
  }
  bool happens(int percent) { return between(1, 100) <= percent; }
  template <typename T, std::size_t count>
  T one_of(const std::array<T, count>& choices) {
    return choices[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(count) - 1))];
  }

  /// Mostly realistic numbers, sometimes the worst there are.
  std::int64_t integer() {
    static constexpr std::array<std::int64_t, 8> worst = {std::numeric_limits<std::int64_t>::max(),
                                                          std::numeric_limits<std::int64_t>::min(),
                                                          std::int64_t{1} << 62,
                                                          -(std::int64_t{1} << 62),
                                                          std::int64_t{1} << 31,
                                                          -(std::int64_t{1} << 31),
                                                          std::int64_t{1} << 43,
                                                          65536};
    return happens(25) ? one_of(worst) : between(-3, 4);
  }
  float number() {
    static constexpr std::array<float, 8> numbers = {0.0F,
                                                     1.0F,
                                                     -1.0F,
                                                     0.5F,
                                                     1e30F,
                                                     -1e30F,
                                                     std::numeric_limits<float>::infinity(),
                                                     std::numeric_limits<float>::quiet_NaN()};
    return one_of(numbers);
  }
  std::string word() {
    static constexpr std::array<const char*, 24> words = {
        "",     "NOTSET", "SAME_UPPER",    "VALID", "constant", "reflect", "LEFT",  "mean",
        "none", "linear", "nearest",       "cubic", "forward",  "reverse", "DCR",   "CRD",
        "sum",  "add",    "bidirectional", "ij,jk", "...i->i",  "up",      "RIGHT", "\xff\n"};
    return one_of(words);
  }

  Dimension dimension() {
    static constexpr std::array<std::int64_t, 4> big = {
        std::int64_t{1} << 31, std::int64_t{1} << 43, std::int64_t{1} << 62,
        std::numeric_limits<std::int64_t>::max()};
    const std::int64_t kind = between(0, 19);
    if (kind == 0) return one_of(big);
    if (kind == 1) return {};
    if (kind < 6) return Dimension::symbol(happens(50) ? "n" : "m");
    return between(0, 4);
  }
  PartialShape shape() {
    if (happens(5)) return std::nullopt;
    Dimensions dimensions(static_cast<std::size_t>(between(0, 5)));
    for (Dimension& each : dimensions) each = dimension();
    return dimensions;
  }

 private:
  std::mt19937 engine_;
};

ValueType make_type(TypeSet::Container container, const ValueType& tensor) {
  const DataType element = tensor.element;
  switch (container) {
    case TypeSet::Container::tensor:
      return tensor;
    case TypeSet::Container::sequence:
      return ValueType::sequence(tensor);
    case TypeSet::Container::optional:
      return ValueType::optional(tensor);
    case TypeSet::Container::optional_sequence:
      return ValueType::optional(ValueType::sequence(tensor));
    case TypeSet::Container::map_of_int64:
      return ValueType::map(DataType::int64, element);
    case TypeSet::Container::map_of_string:
      return ValueType::map(DataType::string, element);
    case TypeSet::Container::sequence_of_map_of_int64:
      return ValueType::sequence(ValueType::map(DataType::int64, element));
    case TypeSet::Container::sequence_of_map_of_string:
      return ValueType::sequence(ValueType::map(DataType::string, element));
  }
  return tensor;
}

/// A random type of the set, with the given shape.
ValueType pick_type(const TypeSet& set, const PartialShape& shape, Chance& chance) {
  std::vector<ValueType> choices;
  for (std::size_t container = 0; container < TypeSet::container_count; ++container) {
    for (std::int32_t element = 1; element < data_type_count; ++element) {
      const auto kind = static_cast<TypeSet::Container>(container);
      const auto type = static_cast<DataType>(element);
      if (set.contains(kind, type))
        choices.push_back(make_type(kind, ValueType::tensor(type, shape)));
    }
  }
  if (choices.empty()) return {};
  return choices[static_cast<std::size_t>(
      chance.between(0, static_cast<std::int64_t>(choices.size()) - 1))];
}

/// A small random constant; empty for types other than int32, int64, float32 and bool.
Tensor pick_value(DataType type, Chance& chance) {
  const bool is_integer = type == DataType::int64 || type == DataType::int32;
  if (!is_integer && type != DataType::float32 && type != DataType::boolean) return {};
  Tensor tensor(type, chance.happens(40) ? Shape() : Shape({chance.between(0, 5)}));
  for (std::int64_t i = 0; i < tensor.element_count(); ++i) {
    if (is_integer) {
      set_element(tensor, i, chance.integer());
    } else {
      set_element(tensor, i, static_cast<double>(chance.number()));
    }
  }
  return tensor;
}

std::vector<std::int64_t> pick_integers(Chance& chance) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(chance.between(0, 6)));
  for (std::int64_t& each : result)
    each = chance.happens(60) ? chance.between(0, 3) : chance.integer();
  return result;
}

/// Nothing for kinds that no rule of a single node reads.
std::optional<Attribute::Value> pick_attribute(const AttributeSpec& spec, Chance& chance) {
  switch (spec.kind) {
    case AttributeKind::integer:
      return chance.integer();
    case AttributeKind::float_number:
      return chance.number();
    case AttributeKind::string:
      return spec.default_value.string != nullptr && chance.happens(30)
                 ? std::string(spec.default_value.string)
                 : chance.word();
    case AttributeKind::integers:
      return pick_integers(chance);
    case AttributeKind::floats:
      return std::vector<float>{chance.number(), chance.number()};
    case AttributeKind::strings:
      return std::vector<std::string>{chance.word(), chance.word()};
    case AttributeKind::tensor:
      return pick_value(chance.happens(50) ? DataType::int64 : DataType::float32, chance);
    case AttributeKind::type:
      return ValueType::tensor(DataType::float32, chance.shape());
    default:
      return std::nullopt;
  }
}

/// A graph of one node, or null if the node needs subgraphs.
std::unique_ptr<Graph> pick_node(const OpSchema& schema, const OpVersion& version, Chance& chance) {
  auto graph = std::make_unique<Graph>("g");
  graph->set_opsets({{schema.domain, version.since}});
  const PartialShape common = chance.shape();
  const auto many = [&](std::initializer_list<Formal> formals) {
    const std::int64_t fewest = version.fewest(formals);
    return chance.between(fewest, std::min(version.most(formals), fewest + 4));
  };
  std::vector<Value*> inputs;
  std::map<std::string, ValueType> chosen;
  for (std::int64_t i = 0; i < many(version.inputs); ++i) {
    const Formal* formal = OpVersion::formal_at(version.inputs, i);
    if (formal == nullptr) break;
    if (formal->count == Formal::Count::optional && chance.happens(30)) {
      inputs.push_back(nullptr);
      continue;
    }
    ValueType type = pick_type(version.allowed(formal->type),
                               chance.happens(50) ? common : chance.shape(), chance);
    // The same type parameter gets the same type, or few nodes would get far.
    const auto [known, is_new] = chosen.emplace(formal->type, type);
    if (!is_new && type.is_tensor() && known->second.is_tensor())
      type.element = known->second.element;
    Tensor value =
        type.is_tensor() && chance.happens(50) ? pick_value(type.element, chance) : Tensor();
    const std::string name = "x" + std::to_string(i);
    inputs.push_back(value.is_empty() ? &graph->add_input(name, std::move(type))
                                      : &graph->add_constant(name, std::move(value)));
  }
  std::vector<Value*> outputs;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(many(version.outputs), 1); ++i)
    outputs.push_back(&graph->add_value("y" + std::to_string(i)));
  Node& node = graph->add_node(schema.name, schema.domain, inputs, outputs);
  for (const AttributeSpec& spec : version.attributes) {
    if (!spec.is_required && chance.happens(50)) continue;
    std::optional<Attribute::Value> value = pick_attribute(spec, chance);
    if (!value && spec.is_required) return nullptr;
    if (!value) continue;
    Attribute attribute;
    attribute.name = spec.name;
    attribute.value = std::move(*value);
    node.set_attribute(std::move(attribute));
  }
  return graph;
}

bool is_sound(const ValueType& type) {
  if (type.inner) return is_sound(*type.inner);
  if (!type.is_tensor() || !type.shape) return true;
  if (type.shape->size() > static_cast<std::size_t>(Shape::max_dimensions)) return false;
  return std::none_of(type.shape->begin(), type.shape->end(), [](const Dimension& dimension) {
    return dimension.is_known() && dimension.number() < 0;
  });
}

TEST_CASE("hostile nodes are refused or get shapes that can be", "[ops]") {
  const auto seed = static_cast<std::uint32_t>(std::random_device()());
  INFO("seed " << seed);
  Chance chance(seed);
  std::int64_t accepted = 0;
  for (const OpEntry& entry : catalog()) {
    std::int64_t accepted_here = 0;
    for (const OpVersion& version : entry.schema->versions) {
      for (int i = 0; i < nodes_a_version; ++i) {
        Model model;
        model.graph = pick_node(*entry.schema, version, chance);
        if (model.graph == nullptr) break;
        try {
          infer_shapes(model);
          ++accepted_here;
        } catch (const Error&) {
          continue;
        }
        for (const Value* value : model.graph->values()) {
          INFO(entry.schema->name << " " << version.since << ", node " << i << ": "
                                  << value->type().to_string());
          CHECK(is_sound(value->type()));
        }
      }
    }
    accepted += accepted_here;
  }
  CHECK(accepted > 1000);
}

}  // namespace
}  // namespace ortool
