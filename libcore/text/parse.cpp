// Parser for models: the header, the graph, then functions, each with its own opset imports.
#include "libcore/text/parse.hpp"

#include <string>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/text/parse_attribute.hpp"
#include "libcore/text/parse_graph.hpp"
#include "libcore/text/scanner.hpp"

namespace ortool {
namespace {

class ModelParser {
 public:
  explicit ModelParser(std::string_view text) : scanner_(text), graphs_(scanner_) {}

  std::unique_ptr<Model> model() {
    auto model = std::make_unique<Model>();
    OpsetImports opsets;
    if (scanner_.accept('<')) model_header(*model, opsets);
    model->graph = std::make_unique<Graph>();
    model->graph->set_opsets(std::move(opsets));
    graphs_.graph_into(*model->graph);
    model->functions = functions();
    return model;
  }

  std::vector<Function> functions() {
    std::vector<Function> functions;
    while (!scanner_.at_end()) functions.push_back(function());
    return functions;
  }

  std::unique_ptr<Graph> whole_graph(OpsetImports opsets) {
    auto graph = std::make_unique<Graph>();
    graph->set_opsets(std::move(opsets));
    graphs_.graph_into(*graph);
    if (!scanner_.at_end()) scanner_.fail_expected("the end of the graph");
    return graph;
  }

 private:
  void model_header(Model& model, OpsetImports& opsets) {
    do {
      const std::string_view key = scanner_.word("a field of the model");
      scanner_.expect(':');
      if (key == "ir_version") {
        model.ir_version = scanner_.integer("a version");
      } else if (key == "opset_import") {
        opsets = opset_imports();
      } else if (key == "producer_name") {
        model.producer_name = scanner_.quoted("a quoted string");
      } else if (key == "producer_version") {
        model.producer_version = scanner_.quoted("a quoted string");
      } else if (key == "domain") {
        model.domain = scanner_.quoted("a quoted string");
      } else if (key == "model_version") {
        model.model_version = scanner_.integer("a version");
      } else if (key == "doc_string") {
        model.doc_string = scanner_.quoted("a quoted string");
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
      result.emplace_back(std::move(key), scanner_.quoted("a quoted string"));
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
          function.overload = scanner_.quoted("a quoted string");
        } else if (key == "doc_string") {
          function.doc_string = scanner_.quoted("a quoted string");
        } else {
          scanner_.fail(format("a function has no field '{}'", key));
        }
      } while (scanner_.accept(','));
      scanner_.expect('>');
    }
    function.name = scanner_.name("a function's name");
    if (scanner_.peek() == '<') parse_function_attributes(scanner_, function);
    function.body = std::make_unique<Graph>(function.name);
    function.body->set_opsets(std::move(opsets));
    graphs_.function_body_into(*function.body);
    return function;
  }

  Scanner scanner_;
  GraphParser graphs_;
};

}  // namespace

std::unique_ptr<Model> parse_model(std::string_view text) {
  return ModelParser(text).model();
}

std::vector<Function> parse_functions(std::string_view text) {
  return ModelParser(text).functions();
}

std::unique_ptr<Graph> parse_graph(std::string_view text, OpsetImports opsets) {
  return ModelParser(text).whole_graph(std::move(opsets));
}

void parse_nodes(std::string_view text, Graph& graph) {
  Scanner scanner(text);
  GraphParser(scanner).nodes_into(graph);
  if (!scanner.at_end()) scanner.fail_expected("a node");
}

}  // namespace ortool
