// Parser for attribute values: the kind is declared or follows from the first token.
#include "libcore/text/parse_attribute.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/text/parse_literal.hpp"

namespace ortool {
namespace {

using Kind = AttributeKind;

std::optional<Kind> kind_from_name(std::string_view name) {
  for (int number = 1; number <= static_cast<int>(Kind::types); ++number) {
    const auto kind = static_cast<Kind>(number);
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

class AttributeParser {
 public:
  AttributeParser(Scanner& scanner, const GraphReader& read_graph)
      : scanner_(scanner), read_graph_(read_graph) {}

  void node_attributes(Node& node) {
    scanner_.expect('<');
    if (scanner_.accept('>')) return;
    do {
      const std::string name = scanner_.name("an attribute's name");
      if (node.find_attribute(name) != nullptr)
        scanner_.fail(format("attribute {} is given twice", quoted_text(name)));
      std::optional<Kind> kind;
      if (scanner_.accept(':')) kind = attribute_kind();
      scanner_.expect('=');
      if (scanner_.accept('@')) {
        node.set_attribute({.name = name,
                            .reference = scanner_.name("an attribute of the function"),
                            .reference_kind = kind.value_or(Kind::undefined)});
      } else {
        std::optional<Attribute> attribute = attribute_value(&node, name, kind);
        if (attribute) node.set_attribute(std::move(*attribute));
      }
    } while (scanner_.accept(','));
    scanner_.expect('>');
  }

  void function_attributes(Function& function) {
    scanner_.expect('<');
    if (scanner_.accept('>')) return;
    do {
      function_attribute(function);
    } while (scanner_.accept(','));
    scanner_.expect('>');
  }

 private:
  void function_attribute(Function& function) {
    const std::string name = scanner_.name("an attribute's name");
    std::optional<Kind> kind;
    if (scanner_.accept(':')) kind = attribute_kind();
    if (!scanner_.accept('=')) {
      function.attributes.push_back(name);
      return;
    }
    std::optional<Attribute> attribute = attribute_value(nullptr, name, kind);
    ORTOOL_CHECK(attribute.has_value());
    function.attribute_defaults.push_back(std::move(*attribute));
  }

  Kind attribute_kind() {
    const std::string_view word = scanner_.peek_word();
    const auto kind = kind_from_name(word);
    if (!kind) scanner_.fail_expected("a kind of attribute");
    scanner_.word("a kind of attribute");
    return *kind;
  }

  /// The kind of the single value that comes next.
  Kind next_kind() {
    if (scanner_.peek() == '"') return Kind::string;
    if (scanner_.next_is_number()) return Kind::undefined;
    if (next_is_type(scanner_)) return Kind::tensor;
    if (scanner_.next_is_name()) return Kind::graph;
    scanner_.fail_expected("an attribute's value");
  }

  /// A graph is created directly in `node` (null for a function's default); in that case nothing is
  /// returned.
  std::optional<Attribute> attribute_value(Node* node, const std::string& name,
                                           std::optional<Kind> kind) {
    if (scanner_.accept('[')) return list_value(node, name, kind);
    const Kind next = next_kind();
    Attribute attribute{.name = name};
    if (next == Kind::graph || (kind == Kind::graph && next == Kind::string)) {
      require(kind, Kind::graph);
      read_graph_(holder_of_graphs(node).make_subgraph(name));
      return std::nullopt;
    }
    if (next == Kind::string) {
      require(kind, Kind::string);
      attribute.value = scanner_.quoted("a string");
    } else if (next == Kind::tensor) {
      typed_value(attribute, kind);
    } else {
      const NumberToken token = scanner_.number();
      if (kind == Kind::float_number || (!kind && !token.is_whole)) {
        attribute.value = float_of(token);
      } else {
        require(kind, Kind::integer);
        attribute.value = integer_of(token);
      }
    }
    return attribute;
  }

  Node& holder_of_graphs(Node* node) {
    if (node == nullptr) scanner_.fail("a graph cannot be the default of a function's attribute");
    return *node;
  }

  void typed_value(Attribute& attribute, std::optional<Kind> kind) {
    ValueType type = parse_type(scanner_);
    if (scanner_.peek() != '{' || kind == Kind::type) {
      require(kind, Kind::type);
      attribute.value = std::move(type);
    } else if (type.kind == ValueType::Kind::sparse_tensor) {
      require(kind, Kind::sparse_tensor);
      attribute.value = sparse(type);
    } else {
      require(kind, Kind::tensor);
      attribute.value = parse_elements(scanner_, type);
    }
  }

  /// `sparse_tensor(float[3, 4]) {float[2] {1, 2}, int64[2] {0, 5}}`: values, then indices.
  SparseTensor sparse(const ValueType& type) {
    const auto dimensions = to_known(type.shape);
    if (!dimensions) scanner_.fail("a sparse tensor needs a known shape");
    scanner_.expect('{');
    SparseTensor result;
    result.dimensions = *dimensions;
    result.values = tensor();
    scanner_.expect(',');
    result.indices = tensor();
    scanner_.expect('}');
    return result;
  }

  Tensor tensor() {
    if (!next_is_type(scanner_)) scanner_.fail_expected("a tensor");
    const ValueType type = parse_type(scanner_);
    return parse_elements(scanner_, type);
  }

  std::optional<Attribute> list_value(Node* node, const std::string& name,
                                      std::optional<Kind> kind) {
    Attribute attribute{.name = name};
    if (scanner_.accept(']')) {
      set_empty_list(attribute, kind);
      return attribute;
    }
    const Kind next = next_kind();
    if (next == Kind::graph || (kind == Kind::graphs && next == Kind::string)) {
      require(kind, Kind::graphs);
      do {
        read_graph_(holder_of_graphs(node).make_subgraph(name, true));
      } while (scanner_.accept(','));
      scanner_.expect(']');
      return std::nullopt;
    }
    if (next == Kind::string) {
      require(kind, Kind::strings);
      std::vector<std::string> strings;
      do {
        strings.push_back(scanner_.quoted("a quoted string"));
      } while (scanner_.accept(','));
      attribute.value = std::move(strings);
    } else if (next == Kind::tensor) {
      typed_list(attribute, kind);
    } else {
      number_list(attribute, kind);
    }
    scanner_.expect(']');
    return attribute;
  }

  void typed_list(Attribute& attribute, std::optional<Kind> kind) {
    std::vector<Tensor> tensors;
    std::vector<SparseTensor> sparse_tensors;
    std::vector<ValueType> types;
    do {
      Attribute one;
      typed_value(one, std::nullopt);
      if (auto* each = std::get_if<Tensor>(&one.value)) tensors.push_back(std::move(*each));
      if (auto* each = std::get_if<SparseTensor>(&one.value))
        sparse_tensors.push_back(std::move(*each));
      if (auto* each = std::get_if<ValueType>(&one.value)) types.push_back(std::move(*each));
    } while (scanner_.accept(','));
    const int kinds = !tensors.empty() + !sparse_tensors.empty() + !types.empty();
    if (kinds != 1) scanner_.fail("a list holds values of several kinds");
    if (!tensors.empty()) {
      require(kind, Kind::tensors);
      attribute.value = std::move(tensors);
    } else if (!types.empty()) {
      require(kind, Kind::types);
      attribute.value = std::move(types);
    } else {
      require(kind, Kind::sparse_tensors);
      attribute.value = std::move(sparse_tensors);
    }
  }

  void number_list(Attribute& attribute, std::optional<Kind> kind) {
    std::vector<NumberToken> tokens;
    bool are_whole = true;
    do {
      tokens.push_back(scanner_.number());
      are_whole = are_whole && tokens.back().is_whole;
    } while (scanner_.accept(','));
    if (kind == Kind::floats || (!kind && !are_whole)) {
      std::vector<float> floats;
      for (const NumberToken& token : tokens) floats.push_back(float_of(token));
      attribute.value = std::move(floats);
    } else {
      require(kind, Kind::integers);
      std::vector<std::int64_t> integers;
      for (const NumberToken& token : tokens) integers.push_back(integer_of(token));
      attribute.value = std::move(integers);
    }
  }

  void set_empty_list(Attribute& attribute, std::optional<Kind> kind) {
    if (kind == Kind::floats) {
      attribute.value = std::vector<float>();
    } else if (kind == Kind::integers) {
      attribute.value = std::vector<std::int64_t>();
    } else if (kind == Kind::strings) {
      attribute.value = std::vector<std::string>();
    } else if (kind == Kind::tensors) {
      attribute.value = std::vector<Tensor>();
    } else if (kind == Kind::graphs) {
      attribute.value = Attribute::Graphs();
    } else if (kind == Kind::sparse_tensors) {
      attribute.value = std::vector<SparseTensor>();
    } else if (kind == Kind::types) {
      attribute.value = std::vector<ValueType>();
    } else {
      scanner_.fail("an empty list needs its kind, as in axes: ints = []");
    }
  }

  void require(std::optional<Kind> kind, Kind found) {
    if (kind && *kind != found)
      scanner_.fail(
          format("found a value of kind {} where {} is declared", name_of(found), name_of(*kind)));
  }

  float float_of(const NumberToken& token) {
    const auto value = to_float(token);
    if (!value) scanner_.fail(format("{} is not a float", token.text));
    return *value;
  }

  std::int64_t integer_of(const NumberToken& token) {
    const auto value = token.is_whole ? to_int64(token) : std::nullopt;
    if (!value) scanner_.fail(format("{} is not a 64-bit integer", token.text));
    return *value;
  }

  Scanner& scanner_;
  const GraphReader& read_graph_;
};

}  // namespace

void parse_attributes(Scanner& scanner, const GraphReader& read_graph, Node& node) {
  AttributeParser(scanner, read_graph).node_attributes(node);
}

void parse_function_attributes(Scanner& scanner, Function& function) {
  // Never called: a graph as default has been rejected before.
  const GraphReader no_graphs;
  AttributeParser(scanner, no_graphs).function_attributes(function);
}

}  // namespace ortool
