// case_models FOLDER FILE...: writes each operator case as a model file that holds its inputs.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/text/parse.hpp"
#include "tests/ops/case_file.hpp"

namespace {

using namespace ortool;

constexpr std::int64_t max_bytes = 16384;

/// Stores the inputs as defaults of graph inputs, so that a fuzzer that mutates the file also
/// mutates the values that kernels read.
Model make_model(const test::OpCase& each) {
  Model model;
  model.ir_version = 10;
  model.graph = std::make_unique<Graph>("case");
  Graph& graph = *model.graph;
  graph.set_opsets(each.opsets);
  for (const auto& [name, tensor] : each.inputs) {
    Value& input =
        graph.add_input(name, ValueType::tensor(tensor.type(), to_partial(tensor.shape())));
    graph.set_constant(input, tensor);
  }
  for (const auto& [name, tensor] : each.constants) graph.add_constant(name, tensor);
  parse_nodes(each.nodes, graph);
  for (const Node& node : graph.nodes()) {
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      Value* value = node.output(i);
      if (value != nullptr && value->uses().empty()) graph.add_output(*value);
    }
  }
  return model;
}

std::int64_t size_of(const test::OpCase& each) {
  std::int64_t bytes = 0;
  for (const auto& list : {each.inputs, each.constants}) {
    for (const test::CaseTensor& tensor : list) bytes += tensor.tensor.size_bytes();
  }
  return bytes;
}

int write_models(const std::filesystem::path& folder, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  int written = 0;
  for (const test::OpCase& each : test::parse_case_file(text)) {
    if (size_of(each) > max_bytes) continue;
    try {
      save_model(make_model(each), folder / format("{}_{}.onnx", path.stem().string(), each.line),
                 {.external_data = ExternalData::never});
      ++written;
    } catch (const Error& error) {
      // Some cases test nodes that no file can hold.
      std::printf("%s:%d: %s\n", path.c_str(), each.line, error.what());
    }
  }
  return written;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: case_models FOLDER FILE...\n", stderr);
    return 2;
  }
  try {
    std::filesystem::create_directories(arguments[1]);
    int written = 0;
    for (int i = 2; i < count; ++i) written += write_models(arguments[1], arguments[i]);
    std::printf("%d models\n", written);
    return written > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
