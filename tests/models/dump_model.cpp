// Prints a loaded model, one line per fact, for comparison with another reader.
#include <cstdio>
#include <string>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/sha256.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/read/load.hpp"

namespace {

using ortool::Graph;
using ortool::Node;
using ortool::Tensor;
using ortool::Value;

std::string describe(const Tensor& tensor) {
  std::string text = std::string(name_of(tensor.type())) + " " + tensor.shape().to_string() + " ";
  if (tensor.type() != ortool::DataType::string) {
    return text +
           ortool::sha256_of({tensor.bytes(), static_cast<std::size_t>(tensor.size_bytes())});
  }
  std::string joined;
  for (const std::string& each : tensor.strings()) joined += each + '\0';
  return text + ortool::sha256_of(std::as_bytes(std::span(joined.data(), joined.size())));
}

std::string name_or_blank(const Value* value) {
  return value == nullptr ? "" : std::string(value->name());
}

void print(const std::string& line) {
  std::printf("%s\n", ortool::escape_control_characters(line).c_str());
}

void dump(const Graph& graph, const std::string& place);

void dump(const Node& node, const std::string& place, std::int64_t index) {
  const std::string here = place + "/" + std::to_string(index);
  std::string line = here + " " + std::string(node.domain()) + ":" + std::string(node.op_type());
  for (std::int64_t i = 0; i < node.input_count(); ++i) {
    line += " <" + name_or_blank(node.input(i));
  }
  for (std::int64_t i = 0; i < node.output_count(); ++i) {
    line += " >" + name_or_blank(node.output(i));
  }
  print(line);
  for (const ortool::Attribute& attribute : node.attributes()) {
    std::string text = here + "." + attribute.name + " " + std::string(name_of(attribute.kind()));
    if (const auto* tensor = std::get_if<Tensor>(&attribute.value)) text += " " + describe(*tensor);
    print(text);
  }
  std::int64_t graphs = 0;
  for (const Graph* subgraph : node.subgraphs()) {
    dump(*subgraph, here + "#" + std::to_string(graphs++));
  }
}

void dump(const Graph& graph, const std::string& place) {
  for (const Value* input : graph.inputs()) print(place + " input " + std::string(input->name()));
  for (const Value* output : graph.outputs()) {
    print(place + " output " + std::string(output->name()));
  }
  for (const Value* value : graph.values()) {
    if (!value->is_constant() && !value->has_default()) continue;
    print(place + " initializer " + std::string(value->name()) + " " + describe(value->constant()));
  }
  for (const Node& node : graph.nodes()) dump(node, place, node.id());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    for (int i = 1; i < count; ++i) {
      const std::string path = arguments[i];
      if (path.ends_with(".pb")) {
        std::string name;
        const Tensor tensor = ortool::load_tensor(path, &name);
        print("file " + path);
        print("tensor " + name + " " + describe(tensor));
        continue;
      }
      const auto model = ortool::load_model(path);
      print("file " + path);
      for (const auto& [domain, version] : model->graph->opsets()) {
        print("opset " + domain + " " + std::to_string(version));
      }
      dump(*model->graph, "graph");
      for (const ortool::Function& function : model->functions) {
        dump(*function.body, "function " + function.domain + ":" + function.name);
      }
      for (const std::string& warning : model->warnings) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), warning.c_str());
      }
    }
  } catch (const ortool::Error& error) {
    std::fprintf(stderr, "error: %s\n", ortool::escape_control_characters(error.what()).c_str());
    if (!error.hint().empty()) std::fprintf(stderr, "hint: %s\n", error.hint().c_str());
    return static_cast<int>(error.code());
  }
  return 0;
}
