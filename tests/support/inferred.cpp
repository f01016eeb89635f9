// Infers the types of nodes written as text.
#include "tests/support/inferred.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/text/parse.hpp"

namespace ortool::test {

std::string inferred(const NodeText& text) {
  const std::string model_text = format(
      "<ir_version: 13, opset_import: [\"\" : {}, \"ai.onnx.ml\": {}, "
      "\"ai.onnx.preview.training\": 1]> g ({}) => () <{}> { {} }",
      text.opset, text.ml_opset, text.inputs, text.constants, text.nodes);
  const auto model = parse_model(model_text);
  try {
    infer_shapes(*model);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::invalid) throw;
    return "invalid: " + error.message();
  }
  std::string types;
  for (const Node& node : model->graph->nodes()) {
    types.clear();
    for (std::int64_t i = 0; i < node.output_count(); ++i) {
      const Value* output = node.output(i);
      if (output != nullptr) types += (types.empty() ? "" : ", ") + output->type().to_string();
    }
  }
  return types;
}

}  // namespace ortool::test
