// Dynamic and weight-only quantization: the resulting nodes, and that results stay close.
#include "libcore/quantize/scheme/weight_only.hpp"

#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/algorithms/verify.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/quantize/scheme/dynamic.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/weight_model.hpp"

namespace ortool {

using namespace test;

namespace {

/// A product two bodies deep, the only reader of the main graph's weights.
constexpr const char* nested_product =
    "g (float[4, 32] x, float[16, 32] w, float[16] b, float[4, 16] o) => (float[4, 16] y)"
    "<bool c = {1}> { [i] y = If (c) <then_branch = t () => (r) { [j] r = If (c)"
    " <then_branch = s () => (p) { [a] p = Gemm <transB = 1> (x, w, b) },"
    " else_branch = u () => (q) { [d] q = Identity (o) }> },"
    " else_branch = e () => (v) { [k] v = Identity (o) }> }";

constexpr const char* product =
    "g (float[4, 32] x, float[32, 16] w, float[16] b) => (float[4, 16] y)"
    "{ [a] p = MatMul (x, w) [c] y = Add (p, b) }";

void quantize_running(Model& model) {
  QuantizePlan plan = make_plan(model, {});
  CHECK(quantize_dynamically(model, plan, {}, nullptr) == 1);
  verify(*model.graph);
  infer_shapes(model);
}

TEST_CASE("weights alone become int8 with a scale a channel behind DequantizeLinear") {
  const auto model = model_of(product);
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  quantize_stored(*model, {});
  CHECK(count(*model, "DequantizeLinear") == 1);
  CHECK(model->graph->find_value("w") == nullptr);
  CHECK(signal_to_noise(run(*model, x), expected) > 40);
}

TEST_CASE("weights of four bits have a scale a block, and halves of bytes") {
  const auto model = model_of(product);
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  WeightOnlyOptions options;
  options.weights.type.type = DataType::int4;
  options.block_size = 16;
  quantize_stored(*model, options);
  const Node& node = *model->graph->first_node();
  REQUIRE(node.op_type() == "DequantizeLinear");
  CHECK(node.input(0)->constant().size_bytes() == 32 * 16 / 2);
  CHECK(node.input(1)->constant().shape() == Shape({2, 16}));
  CHECK(signal_to_noise(run(*model, x), expected) > 18);
}

TEST_CASE("unsigned weights keep their zero points, one a channel or one a block") {
  for (const std::int64_t block_size : {0, 16}) {
    const auto model = model_of(product);
    const Tensor x = random_tensor({4, 32}, 9);
    const std::vector<float> expected = run(*model, x);
    WeightOnlyOptions options;
    options.weights.type = {DataType::uint8, false, false};
    options.block_size = block_size;
    quantize_stored(*model, options);
    CHECK(model->graph->first_node()->input_count() == 3);
    CHECK(signal_to_noise(run(*model, x), expected) > 40);
  }
}

TEST_CASE("weights of 16-bit floats have scales of their type, and results keep theirs") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (float16[4, 32] x, float16[32, 16] w) => (float16[4, 16] y) { [a] y = MatMul (x, w) }");
  Graph& main = *model->graph;
  Value& w = *main.inputs()[1];
  main.set_constant(w, convert(random_tensor({32, 16}, 1), DataType::float16));
  main.make_default_constant(w);
  PlanRules rules;
  rules.takes_all_floats = true;
  const Tensor x = convert(random_tensor({4, 32}, 9), DataType::float16);
  const auto compute = [&] {
    const Session session(copy_model(*model), cpu_options());
    const Tensor result = session.run({{"x", x}}, {}).front().tensor();
    CHECK(result.type() == DataType::float16);
    return floats(RunValue(convert(result, DataType::float32)));
  };
  const std::vector<float> expected = compute();
  SECTION("behind DequantizeLinear") {
    quantize_weights_only(*model, make_plan(*model, rules), {});
    CHECK(count(*model, "DequantizeLinear") == 1);
  }
  SECTION("in blocks") {
    WeightOnlyOptions options;
    options.block_size = 32;
    options.has_block_products = true;
    quantize_weights_only(*model, make_plan(*model, rules), options);
    CHECK(count(*model, "MatMulNBits") == 1);
  }
  verify(*model->graph);
  infer_shapes(*model);
  CHECK(model->graph->first_node()
            ->input(main.first_node()->op_type() == "MatMulNBits" ? 2 : 1)
            ->constant()
            .type() == DataType::float16);
  CHECK(signal_to_noise(compute(), expected) > 35);
}

TEST_CASE("float64 weights are levels by float32 scales, and a cast") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (double[4, 32] x, double[32, 16] w) => (double[4, 16] y) { [a] y = MatMul (x, w) }");
  Graph& main = *model->graph;
  Value& w = *main.inputs()[1];
  main.set_constant(w, convert(random_tensor({32, 16}, 1), DataType::float64));
  main.make_default_constant(w);
  PlanRules rules;
  rules.takes_all_floats = true;
  quantize_weights_only(*model, make_plan(*model, rules), {});
  verify(main);
  infer_shapes(*model);
  CHECK(count(*model, "DequantizeLinear") == 1);
  CHECK(count(*model, "Cast") == 1);
  CHECK(main.outputs()[0]->type().element == DataType::float64);
}

TEST_CASE("matrix products become MatMulNBits, of a Gemm with what it adds") {
  for (const int bits : {4, 8}) {
    const auto model = model_of(
        "g (float[4, 32] x, float[32, 16] w, float[24, 16] v, float[24] b) => (float[4, 24] y)"
        "{ [a] p = MatMul (x, w) [c] y = Gemm <transB = 1> (p, v, b) }");
    const Tensor x = random_tensor({4, 32}, 9);
    const std::vector<float> expected = run(*model, x);
    WeightOnlyOptions options;
    options.weights.type.type = bits == 4 ? DataType::int4 : DataType::int8;
    options.block_size = 16;
    options.has_block_products = true;
    quantize_stored(*model, options);
    CHECK(count(*model, "MatMulNBits") == 2);
    CHECK(count(*model, "Add") == 1);
    CHECK(model->graph->find_value("w") == nullptr);
    CHECK(model->graph->opset("com.microsoft") == 1);
    CHECK(signal_to_noise(run(*model, x), expected) > (bits == 4 ? 18 : 40));
  }
}

TEST_CASE("MatMulNBits in a body reads weights and what it multiplies of the graph around it") {
  const auto model = model_of(
      "g (float[4, 32] x, float[16, 32] w, float[16] b) => (float[4, 16] y) <bool c = {1}>"
      "{ [i] y = If (c) <then_branch = t () => (p) { [a] p = Gemm <transB = 1> (x, w, b) },"
      " else_branch = e () => (q) { [d] q = Gemm <transB = 1> (x, w, b) }> }");
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  WeightOnlyOptions options;
  options.block_size = 32;
  options.has_block_products = true;
  quantize_stored(*model, options);
  CHECK(signal_to_noise(run(*model, x), expected) > 40);
}

TEST_CASE("MatMulNBits in a body of a body reads what the outermost graph holds") {
  const auto model = model_of(nested_product);
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  WeightOnlyOptions options;
  options.block_size = 32;
  options.has_block_products = true;
  quantize_stored(*model, options);
  CHECK(signal_to_noise(run(*model, x), expected) > 40);
}

TEST_CASE("an embedding and the layer that has its columns are stored once") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\" : 21]>\n"
      "g (int64[3] x, float[256, 32] t, float[32, 256] w) => (float[3, 256] y)"
      "{ [a] e = Gather (t, x) [b] y = MatMul (e, w) }");
  Graph& main = *model->graph;
  Value& table = *main.inputs()[1];
  Value& weights = *main.inputs()[2];
  const Tensor rows = random_tensor({256, 32}, 1);
  Tensor columns(DataType::float32, {32, 256});
  for (std::size_t row = 0; row < 256; ++row) {
    for (std::size_t i = 0; i < 32; ++i)
      columns.mutable_data<float>()[i * 256 + row] = rows.data<float>()[row * 32 + i];
  }
  main.set_constant(table, rows);
  main.set_constant(weights, columns);
  main.make_default_constant(table);
  main.make_default_constant(weights);
  const Tensor x = integers_of({5, 0, 255});
  const std::vector<float> expected = run(*model, x);
  quantize_stored(*model, {});
  CHECK(count(*model, "Transpose") == 1);
  std::int64_t code_bytes = 0;
  for (const Value* value : main.values())
    code_bytes += value->constant().type() == DataType::int8 ? value->constant().size_bytes() : 0;
  CHECK(code_bytes == 256 * 32);
  CHECK(signal_to_noise(run(*model, x), expected) > 35);
}

TEST_CASE("of a table only the rows that are gathered become floats") {
  const auto model =
      model_of("g (int64[3] x, float[64, 8] t) => (float[3, 8] y) { [a] y = Gather (t, x) }");
  const Tensor x = integers_of({5, 0, 63});
  const std::vector<float> expected = run(*model, x);
  WeightOnlyOptions options;
  options.weights.type.type = GENERATE(DataType::int8, DataType::uint8, DataType::int4);
  quantize_stored(*model, options);
  CHECK(count(*model, "Gather") == 2);
  CHECK(count(*model, "DequantizeLinear") == 0);
  CHECK(signal_to_noise(run(*model, x), expected) > 40);
}

TEST_CASE("recurrent layers read their weights from int8") {
  const auto model = model_of(
      "g (float[2, 1, 8] x, float[1, 32, 8] w, float[1, 32, 8] r) => (float[2, 1, 1, 8] y)"
      "{ [a] y = LSTM <hidden_size = 8> (x, w, r) }");
  const Tensor x = random_tensor({2, 1, 8}, 9);
  const std::vector<float> expected = run(*model, x);
  quantize_stored(*model, {});
  CHECK(count(*model, "DequantizeLinear") == 2);
  CHECK(signal_to_noise(run(*model, x), expected) > 35);
}

TEST_CASE("a dynamic product takes its range while it runs, and keeps its bias a float") {
  const auto model = model_of(product);
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  quantize_running(*model);
  CHECK(count(*model, "MatMulInteger") == 1);
  CHECK(count(*model, "Add") == 1);
  CHECK(signal_to_noise(run(*model, x), expected) > 35);
}

TEST_CASE("a dynamic Gemm turns its weights once, and adds its third operand") {
  const auto model = model_of(
      "g (float[4, 32] x, float[16, 32] w, float[16] b) => (float[4, 16] y)"
      "{ [a] y = Gemm <transB = 1> (x, w, b) }");
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  quantize_running(*model);
  CHECK(count(*model, "Transpose") == 0);
  CHECK(signal_to_noise(run(*model, x), expected) > 35);
}

TEST_CASE("a dynamic convolution scales its sums channel by channel") {
  const auto model = model_of(
      "g (float[1, 4, 6, 6] x, float[8, 4, 3, 3] w, float[8] b) => (float[1, 8, 4, 4] y)"
      "{ [a] y = Conv (x, w, b) }");
  const Tensor x = random_tensor({1, 4, 6, 6}, 9);
  const std::vector<float> expected = run(*model, x);
  quantize_running(*model);
  CHECK(count(*model, "ConvInteger") == 1);
  CHECK(signal_to_noise(run(*model, x), expected) > 35);
}

TEST_CASE("products of one value share the pass that takes its range") {
  const auto model = model_of(
      "g (float[4, 32] x, float[32, 16] w, float[32, 16] v) => (float[4, 16] y, float[4, 16] z)"
      "{ [a] y = MatMul (x, w) [b] z = MatMul (x, v) }");
  QuantizePlan plan = make_plan(*model, {});
  CHECK(quantize_dynamically(*model, plan, {}, nullptr) == 2);
  CHECK(count(*model, "DynamicQuantizeLinear") == 1);
}

TEST_CASE("a dynamic product in a body reads weights and bias of the graph around it") {
  const auto model = model_of(
      "g (float[4, 32] x, float[16, 32] w, float[16] b) => (float[4, 16] y) <bool c = {1}>"
      "{ [i] y = If (c) <then_branch = t () => (p) { [a] p = Gemm <transB = 1> (x, w, b) },"
      " else_branch = e () => (q) { [d] q = Gemm <transB = 1> (x, w, b) }> }");
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  QuantizePlan plan = make_plan(*model, {});
  CHECK(quantize_dynamically(*model, plan, {}, nullptr) == 2);
  CHECK(signal_to_noise(run(*model, x), expected) > 35);
}

TEST_CASE("a dynamic product in a body of a body reads the bias of the outermost graph") {
  const auto model = model_of(nested_product);
  const Tensor x = random_tensor({4, 32}, 9);
  const std::vector<float> expected = run(*model, x);
  QuantizePlan plan = make_plan(*model, {});
  CHECK(quantize_dynamically(*model, plan, {}, nullptr) == 1);
  verify(*model->graph);
  CHECK(signal_to_noise(run(*model, x), expected) > 35);
}

}  // namespace
}  // namespace ortool
