// Printer for graphs; inner names that would shadow a captured outer value get a number.
#include "libcore/text/print.hpp"

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool {
namespace {

std::string print_domain(std::string_view domain) {
  std::string text;
  for (std::string_view rest = domain;;) {
    const std::size_t dot = rest.find('.');
    if (!is_plain_name(rest.substr(0, dot))) return quoted_text(domain);
    if (dot == std::string_view::npos) return std::string(domain);
    rest.remove_prefix(dot + 1);
  }
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string take() { return std::move(text_); }

  void model(const Model& model) {
    text_ += "<\n  ir_version: " + std::to_string(model.ir_version) + ",\n  opset_import: ";
    opsets(model.graph->opsets());
    field("producer_name", model.producer_name);
    field("producer_version", model.producer_version);
    field("domain", model.domain);
    if (model.model_version != 0)
      text_ += ",\n  model_version: " + std::to_string(model.model_version);
    field("doc_string", model.doc_string);
    if (!model.metadata.empty()) {
      text_ += ",\n  metadata_props: [";
      for (std::size_t i = 0; i < model.metadata.size(); ++i) {
        const auto& [key, value] = model.metadata[i];
        text_ += (i > 0 ? ", " : "") + quoted_text(key) + ": " + quoted_text(value);
      }
      text_ += "]";
    }
    text_ += "\n>\n";
    graph(*model.graph);
    text_ += "\n";
    for (const Function& each : model.functions) function(each);
  }

  void graph(const Graph& graph) {
    name_values(graph);
    text_ += name_text(graph.name()) + " (";
    bool is_first = true;
    for (const Value* input : graph.inputs()) {
      separate(is_first);
      typed_name(*input);
      if (has_default_of_its_type(*input))
        text_ += " = " + print_elements(input->constant(), options_);
    }
    text_ += ") => (";
    is_first = true;
    for (const Value* output : graph.outputs()) {
      separate(is_first);
      typed_name(*output);
    }
    text_ += ")";
    declarations(graph);
    nodes(graph);
  }

  void node(const Node& node) {
    if (node.has_name_of_its_own()) text_ += "[" + name_text(node.name()) + "] ";
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      if (i > 0) text_ += ", ";
      text_ += node.output(i) != nullptr ? name_of_value(*node.output(i)) : "\"\"";
    }
    text_ += node.output_count() > 0 ? " = " : "= ";
    if (!node.domain().empty()) text_ += print_domain(node.domain()) + ".";
    text_ += name_text(node.op_type());
    if (!node.overload().empty()) text_ += ":" + name_text(node.overload());
    if (!node.attributes().empty()) {
      text_ += " <";
      bool is_first = true;
      for (const Attribute& each : node.attributes()) {
        separate(is_first);
        attribute(each);
      }
      text_ += ">";
    }
    text_ += " (";
    for (std::int64_t i = 0; i < node.input_count(); ++i) {
      if (i > 0) text_ += ", ";
      text_ += node.input(i) != nullptr ? name_of_value(*node.input(i)) : "\"\"";
    }
    text_ += ")";
  }

 private:
  void separate(bool& is_first) {
    if (!is_first) text_ += ", ";
    is_first = false;
  }

  void field(std::string_view name, const std::string& value) {
    if (!value.empty()) text_.append(",\n  ").append(name).append(": ").append(quoted_text(value));
  }

  void opsets(const OpsetImports& imports) {
    text_ += "[";
    bool is_first = true;
    for (const auto& [domain, version] : imports) {
      separate(is_first);
      text_ += quoted_text(domain) + ": " + std::to_string(version);
    }
    text_ += "]";
  }

  void new_line() { text_.append("\n").append(2 * indent_, ' '); }

  void function(const Function& function) {
    text_ += "<\n  domain: " + quoted_text(function.domain) + ",\n  opset_import: ";
    opsets(function.body->opsets());
    field("overload", function.overload);
    field("doc_string", function.doc_string);
    text_ += "\n>\n" + name_text(function.name);
    if (!function.attributes.empty() || !function.attribute_defaults.empty()) {
      text_ += " <";
      bool is_first = true;
      for (const std::string& name : function.attributes) {
        separate(is_first);
        text_ += name_text(name);
      }
      for (const Attribute& each : function.attribute_defaults) {
        separate(is_first);
        attribute(each);
      }
      text_ += ">";
    }
    name_values(*function.body);
    text_ += " (";
    bool is_first = true;
    for (const Value* input : function.body->inputs()) {
      separate(is_first);
      text_ += name_of_value(*input);
    }
    text_ += ") => (";
    is_first = true;
    for (const Value* output : function.body->outputs()) {
      separate(is_first);
      text_ += name_of_value(*output);
    }
    text_ += ")";
    declarations(*function.body);
    nodes(*function.body);
    text_ += "\n";
  }

  /// Captured values keep their outer name, so no inner value may have it.
  void name_values(const Graph& graph) {
    std::unordered_set<std::string> taken;
    for (const Value* value : graph.captures()) {
      const std::string& outer = names_.at(value->captured());
      taken.insert(outer);
      names_.emplace(value, outer);
    }
    for (const Value* value : graph.values()) {
      if (value->captured() != nullptr) continue;
      std::string name(value->name());
      for (int number = 1; !taken.insert(name).second; ++number)
        name = std::string(value->name()) + "_" + std::to_string(number);
      names_.emplace(value, name);
    }
  }

  std::string name_of_value(const Value& value) const {
    const auto found = names_.find(&value);
    return name_text(found != names_.end() ? found->second : value.name());
  }

  void typed_name(const Value& value) {
    if (value.type().kind != ValueType::Kind::unknown && value.captured() == nullptr)
      text_ += print_type(value.type()) + " ";
    text_ += name_of_value(value);
  }

  static ValueType type_of_constant(const Value& value) {
    return ValueType::tensor(value.constant().type(), to_partial(value.constant().shape()));
  }

  /// A default is printed with its input only if the input's type equals the default's.
  static bool has_default_of_its_type(const Value& value) {
    return value.has_default() && value.type() == type_of_constant(value);
  }

  void declarations(const Graph& graph) {
    bool is_first = true;
    ++indent_;
    for (const Value* value : graph.values()) {
      const bool is_initializer = (value->is_constant() && !value->is_graph_input()) ||
                                  (value->has_default() && !has_default_of_its_type(*value));
      const bool is_typed = value->producer() != nullptr && !value->is_graph_output() &&
                            value->type().kind != ValueType::Kind::unknown;
      if (!is_initializer && !is_typed) continue;
      text_ += is_first ? " <" : ",";
      is_first = false;
      new_line();
      if (is_initializer) {
        text_ += print_type(type_of_constant(*value)) + " " + name_of_value(*value) + " = " +
                 print_elements(value->constant(), options_);
      } else {
        typed_name(*value);
      }
    }
    --indent_;
    if (is_first) return;
    new_line();
    text_ += ">";
  }

  void nodes(const Graph& graph) {
    text_ += " {";
    ++indent_;
    for (const Node& each : graph.nodes()) {
      new_line();
      node(each);
    }
    --indent_;
    new_line();
    text_ += "}";
  }

  template <typename Values, typename Print>
  void list(const Values& values, AttributeKind kind, Print print) {
    // An empty list, or one of floats, does not reveal its kind.
    if (values.empty()) text_.append(": ").append(name_of(kind));
    text_ += " = [";
    bool is_first = true;
    for (const auto& each : values) {
      separate(is_first);
      print(each);
    }
    text_ += "]";
  }

  void attribute(const Attribute& attribute) {
    text_ += name_text(attribute.name);
    if (!attribute.reference.empty()) {
      if (attribute.reference_kind != AttributeKind::undefined)
        text_.append(": ").append(name_of(attribute.reference_kind));
      text_ += " = @" + name_text(attribute.reference);
      return;
    }
    const auto append = [this](const std::string& text) { text_ += text; };
    const auto& value = attribute.value;
    const AttributeKind kind = attribute.kind();
    switch (kind) {
      case AttributeKind::float_number:
        return append(" = " + print_float(std::get<float>(value)));
      case AttributeKind::integer:
        return append(" = " + std::to_string(std::get<std::int64_t>(value)));
      case AttributeKind::string:
        return append(" = " + quoted_text(std::get<std::string>(value)));
      case AttributeKind::tensor:
        return append(" = " + print_tensor(std::get<Tensor>(value), options_));
      case AttributeKind::graph:
        return subgraph(*std::get<std::unique_ptr<Graph>>(value));
      case AttributeKind::type:
        return append(": type_proto = " + print_type(std::get<ValueType>(value)));
      case AttributeKind::sparse_tensor:
        return append(" = " + print_sparse_tensor(std::get<SparseTensor>(value), options_));
      case AttributeKind::floats:
        return list(std::get<std::vector<float>>(value), kind,
                    [&](float each) { append(print_float(each)); });
      case AttributeKind::integers:
        return list(std::get<std::vector<std::int64_t>>(value), kind,
                    [&](std::int64_t each) { append(std::to_string(each)); });
      case AttributeKind::strings:
        return list(std::get<std::vector<std::string>>(value), kind,
                    [&](const std::string& each) { append(quoted_text(each)); });
      case AttributeKind::tensors:
        return list(std::get<std::vector<Tensor>>(value), kind,
                    [&](const Tensor& each) { append(print_tensor(each, options_)); });
      case AttributeKind::types:
        return list(std::get<std::vector<ValueType>>(value), kind,
                    [&](const ValueType& each) { append(print_type(each)); });
      case AttributeKind::sparse_tensors:
        return list(std::get<std::vector<SparseTensor>>(value), kind,
                    [&](const SparseTensor& each) { append(print_sparse_tensor(each, options_)); });
      case AttributeKind::graphs:
        return list(std::get<Attribute::Graphs>(value), kind, [&](const auto& each) {
          ++indent_;
          graph(*each);
          --indent_;
        });
      default:
        return append(": undefined");
    }
  }

  void subgraph(const Graph& inner) {
    text_ += ": graph = ";
    ++indent_;
    graph(inner);
    --indent_;
  }

  PrintOptions options_;
  std::string text_;
  std::size_t indent_ = 0;
  std::unordered_map<const Value*, std::string> names_;
};

}  // namespace

std::string print_model(const Model& model, const PrintOptions& options) {
  Printer printer(options);
  printer.model(model);
  return printer.take();
}

std::string print_graph(const Graph& graph, const PrintOptions& options) {
  Printer printer(options);
  printer.graph(graph);
  return printer.take() + "\n";
}

std::string print_node(const Node& node, const PrintOptions& options) {
  Printer printer(options);
  printer.node(node);
  return printer.take();
}

}  // namespace ortool
