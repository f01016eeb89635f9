// Building graphs while reading: names become values, outer ones captures.
#include "libcore/text/parse.hpp"

#include <utility>
#include <vector>

#include "libcore/base/format.hpp"
#include "libcore/text/parse_literal.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool {
namespace {

constexpr int most_subgraph_depth = 32;

using Kind = AttributeKind;

std::optional<Kind> kind_from_name(std::string_view name) {
  for (int number = 1; number <= static_cast<int>(Kind::types); ++number) {
    const auto kind = static_cast<Kind>(number);
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

struct TypedName {
  std::string name;
  ValueType type;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : scanner_(text) {}

  std::unique_ptr<Model> model() {
    auto model = std::make_unique<Model>();
    OpsetImports opsets;
    if (scanner_.accept('<')) model_header(*model, opsets);
    model->graph = std::make_unique<Graph>();
    model->graph->set_opsets(std::move(opsets));
    graph_into(*model->graph);
    while (!scanner_.at_end()) model->functions.push_back(function());
    return model;
  }

  std::unique_ptr<Graph> whole_graph(OpsetImports opsets) {
    auto graph = std::make_unique<Graph>();
    graph->set_opsets(std::move(opsets));
    graph_into(*graph);
    if (!scanner_.at_end()) scanner_.fail_expected("the end of the graph");
    return graph;
  }

  void nodes_into(Graph& graph) {
    while (!scanner_.at_end() && scanner_.peek() != '}') node_into(graph);
  }

  void expect_end() {
    if (!scanner_.at_end()) scanner_.fail_expected("a node");
  }

 private:
  // Headers.

  void model_header(Model& model, OpsetImports& opsets) {
    do {
      const std::string_view key = scanner_.word("a field of the model");
      scanner_.expect(':');
      if (key == "ir_version") {
        model.ir_version = scanner_.integer("a version");
      } else if (key == "opset_import") {
        opsets = opset_imports();
      } else if (key == "producer_name") {
        model.producer_name = scanner_.quoted("a text in quotes");
      } else if (key == "producer_version") {
        model.producer_version = scanner_.quoted("a text in quotes");
      } else if (key == "domain") {
        model.domain = scanner_.quoted("a text in quotes");
      } else if (key == "model_version") {
        model.model_version = scanner_.integer("a version");
      } else if (key == "doc_string") {
        model.doc_string = scanner_.quoted("a text in quotes");
      } else if (key == "metadata_props") {
        model.metadata = metadata();
      } else {
        scanner_.fail(format("a model has no field '{}'", key));
      }
    } while (scanner_.accept(','));
    scanner_.expect('>');
  }

  OpsetImports opset_imports() {
    OpsetImports opsets;
    scanner_.expect('[');
    if (scanner_.accept(']')) return opsets;
    do {
      const std::string domain = scanner_.quoted("a domain in quotes");
      scanner_.expect(':');
      opsets[std::string(canonical_domain(domain))] = scanner_.integer("a version");
    } while (scanner_.accept(','));
    scanner_.expect(']');
    return opsets;
  }

  Metadata metadata() {
    Metadata result;
    scanner_.expect('[');
    if (scanner_.accept(']')) return result;
    do {
      std::string key = scanner_.quoted("a key in quotes");
      scanner_.expect(':');
      result.emplace_back(std::move(key), scanner_.quoted("a text in quotes"));
    } while (scanner_.accept(','));
    scanner_.expect(']');
    return result;
  }

  Function function() {
    Function function;
    OpsetImports opsets;
    if (scanner_.accept('<')) {
      do {
        const std::string_view key = scanner_.word("a field of the function");
        scanner_.expect(':');
        if (key == "domain") {
          function.domain = canonical_domain(scanner_.quoted("a domain in quotes"));
        } else if (key == "opset_import") {
          opsets = opset_imports();
        } else if (key == "overload") {
          function.overload = scanner_.quoted("a text in quotes");
        } else if (key == "doc_string") {
          function.doc_string = scanner_.quoted("a text in quotes");
        } else {
          scanner_.fail(format("a function has no field '{}'", key));
        }
      } while (scanner_.accept(','));
      scanner_.expect('>');
    }
    function.name = scanner_.name("a function's name");
    if (scanner_.accept('<') && !scanner_.accept('>')) {
      do {
        function_attribute(function);
      } while (scanner_.accept(','));
      scanner_.expect('>');
    }
    function.body = std::make_unique<Graph>(function.name);
    Graph& body = *function.body;
    body.set_opsets(std::move(opsets));
    for (TypedName& input : typed_names()) add_input(body, std::move(input));
    scanner_.expect("=>");
    const std::vector<TypedName> outputs = typed_names();
    declarations(body);
    braced_nodes(body);
    add_outputs(body, outputs);
    return function;
  }

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

  // Graphs.

  void graph_into(Graph& graph) {
    if (graph.depth() > most_subgraph_depth)
      scanner_.fail(format("graphs are nested deeper than {}", most_subgraph_depth));
    graph.set_name(scanner_.name("a graph's name"));
    inputs_into(graph);
    scanner_.expect("=>");
    const std::vector<TypedName> outputs = typed_names();
    declarations(graph);
    braced_nodes(graph);
    add_outputs(graph, outputs);
  }

  TypedName typed_name() {
    TypedName result;
    if (next_is_type(scanner_)) result.type = parse_type(scanner_);
    result.name = scanner_.name("a value's name");
    if (result.name.empty()) scanner_.fail("a value's name is empty");
    return result;
  }

  std::vector<TypedName> typed_names() {
    std::vector<TypedName> result;
    scanner_.expect('(');
    if (scanner_.accept(')')) return result;
    do {
      result.push_back(typed_name());
    } while (scanner_.accept(','));
    scanner_.expect(')');
    return result;
  }

  Value& add_input(Graph& graph, TypedName input) {
    if (graph.find_value(input.name) != nullptr)
      scanner_.fail(format("{} is an input already", quoted_text(input.name)));
    return graph.add_input(input.name, std::move(input.type));
  }

  /// Inputs may have a default: `(float[2] x = {1, 2})`.
  void inputs_into(Graph& graph) {
    scanner_.expect('(');
    if (scanner_.accept(')')) return;
    do {
      Value& value = add_input(graph, typed_name());
      if (scanner_.accept('=')) graph.set_constant(value, parse_elements(scanner_, value.type()));
    } while (scanner_.accept(','));
    scanner_.expect(')');
  }

  /// `<float[2] w = {1, 2}, float[N] y>`: initialisers, and types of values that nodes make.
  void declarations(Graph& graph) {
    if (!scanner_.accept('<') || scanner_.accept('>')) return;
    do {
      TypedName declared = typed_name();
      Value* value = graph.find_value(declared.name);
      const bool is_default = value != nullptr && value->is_graph_input() && !value->has_default();
      if (value != nullptr && !is_default)
        scanner_.fail(format("{} is declared twice", quoted_text(declared.name)));
      if (scanner_.accept('=')) {
        Tensor tensor = parse_elements(scanner_, declared.type);
        if (value == nullptr) value = &graph.add_value(declared.name);
        graph.set_constant(*value, std::move(tensor));
      } else {
        if (value != nullptr)
          scanner_.fail(format("{} is declared twice", quoted_text(declared.name)));
        graph.add_value(declared.name, std::move(declared.type));
      }
    } while (scanner_.accept(','));
    scanner_.expect('>');
  }

  void braced_nodes(Graph& graph) {
    scanner_.expect('{');
    nodes_into(graph);
    scanner_.expect('}');
  }

  void add_outputs(Graph& graph, const std::vector<TypedName>& outputs) {
    for (const TypedName& output : outputs) {
      Value& value = find(graph, output.name);
      if (value.type().kind == ValueType::Kind::unknown) value.set_type(output.type);
      graph.add_output(value);
    }
  }

  // Nodes.

  /// The value that `name` means in `graph`, captured from around it where need be.
  Value& find(Graph& graph, const std::string& name) {
    Value* value = find_or_null(graph, name);
    if (value == nullptr) {
      scanner_.fail(format("{} is no value that is known here; nodes come after what they read",
                           quoted_text(name)));
    }
    return *value;
  }

  Value* find_or_null(Graph& graph, const std::string& name) {
    Value* value = graph.find_value(name);
    if (value != nullptr) {
      const bool is_there = value->is_graph_input() || value->is_constant() ||
                            value->captured() != nullptr ||
                            (value->producer() != nullptr && !is_open(*value->producer()));
      return is_there ? value : nullptr;
    }
    if (graph.owner() == nullptr) return nullptr;
    Value* outer = find_or_null(graph.owner()->graph(), name);
    return outer != nullptr ? &graph.capture(*outer) : nullptr;
  }

  bool is_open(const Node& node) const {
    for (const Node* open : open_nodes_) {
      if (open == &node) return true;
    }
    return false;
  }

  Value* make_output(Graph& graph, const std::string& name) {
    if (name.empty()) return nullptr;
    Value* value = graph.find_value(name);
    if (value == nullptr) return &graph.add_value(name);
    if (value->producer() != nullptr || value->is_graph_input() || value->is_constant() ||
        value->captured() != nullptr)
      scanner_.fail(format("{} has a value already", quoted_text(name)));
    return value;
  }

  void node_into(Graph& graph) {
    std::string label;
    if (scanner_.accept('[')) {
      label = scanner_.name("a node's name");
      scanner_.expect(']');
    }
    std::vector<Value*> outputs;
    if (scanner_.peek() != '=') {
      do {
        const std::string name = scanner_.next_is_name() ? scanner_.name("an output") : "";
        Value* output = make_output(graph, name);
        for (const Value* other : outputs) {
          if (output != nullptr && other == output)
            scanner_.fail(format("{} is made twice", quoted_text(name)));
        }
        outputs.push_back(output);
      } while (scanner_.accept(','));
    }
    scanner_.expect('=');
    std::string op_type = scanner_.name("an operator");
    std::string domain;
    while (scanner_.accept('.')) {
      domain += (domain.empty() ? "" : ".") + op_type;
      op_type = scanner_.name("an operator");
    }
    Node& node = graph.add_node(op_type, domain, {}, outputs, label);
    open_nodes_.push_back(&node);
    if (scanner_.accept(':')) node.overload = scanner_.name("an overload");
    const bool has_attributes = scanner_.peek() == '<';
    if (has_attributes) attributes(node);
    scanner_.expect('(');
    if (!scanner_.accept(')')) {
      do {
        const std::string name = scanner_.next_is_name() ? scanner_.name("an input") : "";
        graph.add_input_to(node, name.empty() ? nullptr : &find(graph, name));
      } while (scanner_.accept(','));
      scanner_.expect(')');
    }
    if (!has_attributes && scanner_.peek() == '<') attributes(node);
    open_nodes_.pop_back();
  }

  // Attributes.

  void attributes(Node& node) {
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

  /// A graph goes straight into `node`, which is null for a function's default; nothing is given
  /// back then.
  std::optional<Attribute> attribute_value(Node* node, const std::string& name,
                                           std::optional<Kind> kind) {
    if (scanner_.accept('[')) return list_value(node, name, kind);
    const Kind next = next_kind();
    Attribute attribute{.name = name};
    if (next == Kind::graph || (kind == Kind::graph && next == Kind::string)) {
      require(kind, Kind::graph);
      graph_into(holder_of_graphs(node).make_subgraph(name));
      return std::nullopt;
    }
    if (next == Kind::string) {
      require(kind, Kind::string);
      attribute.value = scanner_.quoted("a text");
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
    if (node == nullptr) scanner_.fail("a function's attribute has no graph as its default");
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

  /// `sparse_tensor(float[3, 4]) {float[2] {1, 2}, int64[2] {0, 5}}`: values, then their places.
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
        graph_into(holder_of_graphs(node).make_subgraph(name, true));
      } while (scanner_.accept(','));
      scanner_.expect(']');
      return std::nullopt;
    }
    if (next == Kind::string) {
      require(kind, Kind::strings);
      std::vector<std::string> strings;
      do {
        strings.push_back(scanner_.quoted("a text in quotes"));
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
          format("a value of kind {} found where {} is declared", name_of(found), name_of(*kind)));
  }

  float float_of(const NumberToken& token) {
    const auto value = to_float(token);
    if (!value) scanner_.fail(format("{} is no float", token.text));
    return *value;
  }

  std::int64_t integer_of(const NumberToken& token) {
    const auto value = token.is_whole ? to_int64(token) : std::nullopt;
    if (!value) scanner_.fail(format("{} is no 64-bit integer", token.text));
    return *value;
  }

  Scanner scanner_;
  std::vector<const Node*> open_nodes_;  ///< whose inputs and attributes are still being read
};

}  // namespace

std::unique_ptr<Model> parse_model(std::string_view text) {
  return Parser(text).model();
}

std::unique_ptr<Graph> parse_graph(std::string_view text, OpsetImports opsets) {
  return Parser(text).whole_graph(std::move(opsets));
}

void parse_nodes(std::string_view text, Graph& graph) {
  Parser parser(text);
  parser.nodes_into(graph);
  parser.expect_end();
}

}  // namespace ortool
