// Models for tests of weight quantization, and comparison of their outputs with the float model's.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/quantize/scheme/weight_only.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool::test {

/// A model of opset 21 whose inputs other than `x` are weights.
inline std::unique_ptr<Model> model_of(const std::string& graph) {
  auto model = inferred_model("<ir_version: 10, opset_import: [\"\" : 21]>\n" + graph);
  Graph& main = *model->graph;
  const std::vector<Value*> inputs(main.inputs().begin(), main.inputs().end());
  unsigned seed = 0;
  for (Value* input : inputs) {
    if (input->name() == "x") continue;
    std::vector<std::int64_t> sizes;
    for (const Dimension& size : *input->type().shape) sizes.push_back(size.number());
    main.set_constant(*input, random_tensor(Shape(sizes), ++seed));
    main.make_default_constant(*input);
  }
  return model;
}

/// The first output for the input `x`.
inline std::vector<float> run(const Model& model, const Tensor& x) {
  const Session session(copy_model(model), cpu_options());
  return floats(session.run({{"x", x}}, {}).front());
}

/// In dB.
inline double signal_to_noise(const std::vector<float>& found, const std::vector<float>& expected) {
  REQUIRE(found.size() == expected.size());
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    signal += std::pow(static_cast<double>(expected[i]), 2);
    noise += std::pow(static_cast<double>(found[i]) - static_cast<double>(expected[i]), 2);
  }
  return 10 * std::log10(signal / noise);
}

/// The number of `op_type` nodes in the main graph.
inline std::int64_t count(const Model& model, std::string_view op_type) {
  std::int64_t found = 0;
  for (const Node& node : model.graph->nodes()) found += node.op_type() == op_type ? 1 : 0;
  return found;
}

/// Quantizes weights only, then verifies the graph and infers shapes.
inline void quantize_stored(Model& model, const WeightOnlyOptions& options) {
  quantize_weights_only(model, make_plan(model, {}), options);
  verify(*model.graph);
  infer_shapes(model);
}

}  // namespace ortool::test
