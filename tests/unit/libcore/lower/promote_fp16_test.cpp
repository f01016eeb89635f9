// Promoting float16: which nodes compute in float32, and what outputs and observers see.
#include "libcore/lower/promote_fp16.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::string model_text(std::string_view nodes, std::string_view outputs) {
  return "<ir_version: 8, opset_import: [\"\" : 17]>\n g (float16[2,4] x, bool flag) => (" +
         std::string(outputs) + ") <float16[4,4] w = {1,0,0,2, 0,1,0,0, 0,0,1,0, 0,3,0,1}, " +
         "float16 big = {2048}, int64[2] ones = {1, 1}, int64[4] order = {3, 2, 1, 0}> {" +
         std::string(nodes) + "}";
}

/// The operators in execution order, with float32 outputs in brackets: "Cast[x:float32]".
std::string widen(std::string_view nodes, std::string_view outputs = "float16[2,4] y") {
  const std::unique_ptr<Model> model = inferred_model(model_text(nodes, outputs));
  PromotedValues promoted;
  promote_fp16(*model->graph, nullptr, promoted);
  std::string result;
  for (const Node& node : model->graph->nodes()) {
    const Value& output = *node.output(0);
    result += (result.empty() ? "" : " ") + std::string(node.op_type());
    if (output.type().element == DataType::float32)
      result += "[" + std::string(output.name()) + "]";
  }
  return result;
}

TEST_CASE("Float16 nodes in a row compute in float32 between two conversions") {
  CHECK(widen("a = MatMul (x, w) b = Relu (a) y = Add (b, big)") ==
        "Cast[x:float32] MatMul[a] Relu[b] Add[y:float32] Cast");
}

TEST_CASE("What moves numbers goes along, but is no reason to convert") {
  CHECK(widen("a = Exp (x) b = Transpose (a) c = Transpose (b) y = Exp (c)") ==
        "Cast[x:float32] Exp[a] Transpose[b] Transpose[c] Exp[y:float32] Cast");
  CHECK(widen("a = Transpose (x) y = Transpose (a)") == "Transpose Transpose");
  CHECK(widen("a = Transpose (x) b = Exp (a) y = Transpose (b)") == "Transpose Exp Transpose");
}

TEST_CASE("Any elementwise operator computes in float32, one with a type of its own does not") {
  CHECK(widen("a = Exp (x) b = Sin (a) y = Mod <fmod = 1> (b, big)") ==
        "Cast[x:float32] Exp[a] Sin[b] Mod[y:float32] Cast");
  CHECK(widen("a = Exp (x) b = Cast <to = 10> (a) y = Exp (b)") == "Exp Cast Exp");
}

TEST_CASE("Elements that are repeated or picked stay float32") {
  CHECK(widen("a = Exp (x) b = Tile (a, ones) c = Exp (b) y = Gather <axis = 1> (c, order)") ==
        "Cast[x:float32] Exp[a] Tile[b] Exp[c] Gather[y:float32] Cast");
}

TEST_CASE("A node alone rounds as it did") {
  CHECK(widen("y = MatMul (x, w)") == "MatMul");
  CHECK(widen("a = Exp (x) b = IsNaN (a) c = Not (b) y = Abs (x)") == "Exp IsNaN Not Abs");
}

TEST_CASE("One conversion serves all readers on either side") {
  CHECK(widen("a = Exp (x) b = Abs (x) c = Add (a, b) d = IsNaN (c) e = IsNaN (c) y = Neg (c)") ==
        "Cast[x:float32] Exp[a] Abs[b] Add[c:float32] Cast IsNaN IsNaN Neg[y:float32] Cast");
}

TEST_CASE("Results and what bodies see stay float16 under their names") {
  const std::string nodes = R"(
      a = Exp (x) b = Exp (a)
      y = If (flag) <then_branch = t () => (float16[2,4] p) { p = Identity (b) },
                     else_branch = e () => (float16[2,4] q) { q = Identity (a) }>)";
  CHECK(widen(nodes, "float16[2,4] y, float16[2,4] a") ==
        "Cast[x:float32] Exp[a:float32] Cast Exp[b:float32] Cast If");
}

Tensor fp16_input(std::initializer_list<float> values) {
  return convert(Tensor::of<float>(Shape{2, 4}, values), DataType::float16);
}

std::vector<RunValue> run_at(OptimizeLevel level, std::string_view nodes, const Tensor& input,
                             ValueObserver* observer = nullptr) {
  SessionOptions options = cpu_options();
  options.optimize = level;
  const auto session = make_session(model_text(nodes, "float16[2,4] y"), std::move(options));
  RunOptions run;
  run.observer = observer;
  return session->run({{"x", input}, {"flag", Tensor::of<bool>(Shape{}, {true})}}, run);
}

TEST_CASE("Between nodes in float32 nothing is rounded to float16") {
  const std::string_view nodes = "a = Add (x, big) y = Sub (a, big)";
  const Tensor input = fp16_input({0.5F, 0.25F, 1, 2, 3, -0.5F, 0, 100});
  const Tensor rounded = run_at(OptimizeLevel::extended, nodes, input)[0].tensor();
  const Tensor exact = run_at(OptimizeLevel::all, nodes, input)[0].tensor();
  CHECK(element_as_double(rounded, 1) == 0);
  CHECK(exact.type() == DataType::float16);
  CHECK(same_bits(exact, input));
}

class TypeRecorder : public ValueObserver {
 public:
  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    values += std::string(node.output(index)->name()) + ":" +
              std::string(name_of(value.tensor().type())) + " ";
  }
  std::string values;
};

TEST_CASE("Observers see values as the model has them") {
  TypeRecorder recorder;
  const Tensor input = fp16_input({1, 2, 3, 4, 5, 6, 7, 8});
  run_at(OptimizeLevel::all, "a = MatMul (x, w) b = Sigmoid (a) y = Softmax (b)", input, &recorder);
  CHECK(recorder.values == "a:float16 b:float16 y:float16 ");
}

TEST_CASE("Weights that a kernel has packed in float32 take no memory beside it") {
  std::string numbers;
  for (int i = 0; i < 256 * 256; ++i) numbers += (i == 0 ? "" : ", ") + std::to_string(i % 3);
  MemoryCap cap(std::int64_t{1} << 30);
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float16[1,256] x) => (float16[1,256] y) <float16[256,256] w = {)" +
                                        numbers + "}> { a = MatMul (x, w) y = Relu (a) }",
                                    cpu_options(nullptr, &cap));
  constexpr std::int64_t weight_bytes = 256 * 256 * 4;
  CHECK(cap.used_bytes() < weight_bytes + weight_bytes / 2);
  CHECK(cap.peak_bytes() >= 2 * weight_bytes);
}

TEST_CASE("bfloat16 nodes compute in float32 too, and are shown as bfloat16") {
  const std::string text =
      "<ir_version: 8, opset_import: [\"\" : 17]> g (bfloat16[2,4] x) => (bfloat16[2,4] y)"
      " <bfloat16 one = {1}> { a = Exp (x) b = Add (a, one) y = Sigmoid (b) }";
  const std::unique_ptr<Model> model = inferred_model(text);
  PromotedValues promoted;
  promote_fp16(*model->graph, nullptr, promoted);
  std::string operators;
  for (const Node& node : model->graph->nodes()) operators += std::string(node.op_type()) + " ";
  CHECK(operators == "Cast Exp Add Sigmoid Cast ");
  for (const auto& [value, type] : promoted.types_in_model) CHECK(type == DataType::bfloat16);

  const auto session = make_session(text, cpu_options());
  TypeRecorder recorder;
  RunOptions options;
  options.observer = &recorder;
  const Tensor x =
      convert(Tensor::of<float>(Shape{2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), DataType::bfloat16);
  CHECK(session->run({{"x", x}}, options)[0].tensor().type() == DataType::bfloat16);
  CHECK(recorder.values == "a:bfloat16 b:bfloat16 y:bfloat16 ");
}

}  // namespace
}  // namespace ortool
