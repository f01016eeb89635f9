// Registered operators: their traits alone enable fusion, quantization, layouts and other passes.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/isa/cpu_features.hpp"
#include "libcore/base/error.hpp"
#include "libcore/graph/algorithms/copy_model.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/lower/fuse_quantized.hpp"
#include "libcore/lower/promote_fp16.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/legacy_broadcast.hpp"
#include "libcore/ops/math/unary.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/quantize/scheme/insert_qdq.hpp"
#include "libcore/quantize/scheme/plan.hpp"
#include "providers/cpu/kernel_list.hpp"
#include "providers/cpu/support/accepts.hpp"
#include "providers/cpu/support/function_kernel.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr const char* own = "testing";

/// x, or x / 4 where x is negative.
struct Bend : ElementwiseUnary {
  static const OpSchema schema;
};

/// a * b.
struct Times {
  static const OpSchema schema;
  void read(AttributeReader&, int) {}
  void infer(InferContext& context) const {
    context.set_output(0, context.element(0), LegacyBroadcast().result_shape(context));
  }
};

constinit const OpSchema Bend::schema = {"Bend",
                                         own,
                                         {{.since = 1,
                                           .inputs = {{"x", "T"}},
                                           .outputs = {{"y", "T"}},
                                           .types = {{"T", types::floats}}}}};
constinit const OpSchema Times::schema = {"Times",
                                          own,
                                          {{.since = 1,
                                            .inputs = {{"a", "T"}, {"b", "T"}},
                                            .outputs = {{"y", "T"}},
                                            .types = {{"T", types::floats}}}}};

KernelPtr compile_bend(const NodeView&, const cpu::KernelRow& row, const CompileContext&) {
  return cpu::make_kernel(row.name, [](const PrepareContext& context) {
    const std::int64_t count = context.inputs[0].shape.element_count();
    return cpu::make_prepared({.overwritable = {0}}, [count](const RunContext& run) {
      const float* x = run.input<float>(0);
      float* y = run.output<float>(0);
      for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] < 0 ? x[i] / 4 : x[i];
    });
  });
}

constexpr cpu::KernelRow bend_rows[] = {
    {"bend", own, "Bend", cpu::Isa::baseline, "float32", cpu::accepts_float32, compile_bend}};

constexpr OpTraits bend_traits = {.set = {OpTrait::elementwise, OpTrait::keeps_zero},
                                  .role = QuantizeRole::function};

void register_all() {
  static const bool is_done = [] {
    register_op(op_entry<Bend>(bend_traits));
    register_op(
        op_entry<Times>({.set = {OpTrait::elementwise, OpTrait::commutative}, .neutral = 1}));
    cpu::register_kernels(bend_rows);
    return true;
  }();
  REQUIRE(is_done);
}

std::unique_ptr<Model> registered_model(const std::string& graph) {
  register_all();
  return inferred_model("<ir_version: 8, opset_import: [\"\" : 17, \"testing\" : 1]>\n" + graph);
}

std::string operators_of(const Model& model) {
  std::string result;
  for (const Node& node : model.graph->nodes())
    result += (result.empty() ? "" : " ") + std::string(node.op_type());
  return result;
}

std::string optimized(const std::string& graph) {
  const std::unique_ptr<Model> model = registered_model(graph);
  static_cast<void>(optimize(*model, OptimizeLevel::basic, {}));
  return operators_of(*model);
}

/// The operators of a run, each with its kernel: "Conv:conv_... Bend:bend".
std::vector<std::pair<std::string, std::string>> kernels_of(const Session& session,
                                                            const NamedValues& inputs) {
  Profile profile;
  RunOptions options;
  options.profile = &profile;
  session.run(inputs, options);
  std::vector<std::pair<std::string, std::string>> result;
  for (const ProfileEvent& event : profile.events) result.emplace_back(event.op_type, event.kernel);
  return result;
}

}  // namespace

TEST_CASE("A registered operator is known by its domain and name, once") {
  register_all();
  const OpEntry* entry = find_op(own, "Bend");
  REQUIRE(entry != nullptr);
  CHECK(entry->traits.has(OpTrait::elementwise));
  CHECK(find_op("", "Bend") == nullptr);
  CHECK(find_op("", "Relu") != nullptr);
  CHECK_THROWS_AS(register_op(op_entry<Bend>()), Error);
}

TEST_CASE("Transposes go through a registered elementwise operator") {
  CHECK(optimized(R"(g (float[1,2,3,4] x) => (float[1,2,3,4] y) {
      a = Transpose <perm = [0,2,3,1]> (x)
      b = testing.Bend (a)
      y = Transpose <perm = [0,3,1,2]> (b) })") == "Bend");
}

TEST_CASE("A registered operator broadcasts, and has a neutral operand in either place") {
  CHECK(optimized(R"(g (float[4,3] x, float[3] c) => (float[4,3] y)
      <int64[2] s = {4, 3}> { e = Expand (c, s) y = testing.Times (e, x) })") == "Times");
  CHECK(optimized(R"(g (float[4] x) => (float[4] y)
      <float one = {1}> { a = testing.Times (one, x) y = Neg (a) })") == "Neg");
}

TEST_CASE("A registered function of bytes becomes a table of bytes") {
  register_all();  // before providers are made, which read the list once
  const std::string graph = R"(g (int8[2,3] x) => (int8[3,2] y)
      <float s = {0.5}, int8 z = {3}, float t = {0.25}> {
      a = DequantizeLinear (x, s, z)
      b = testing.Bend (a)
      c = Transpose (b)
      y = QuantizeLinear (c, t, z) })";
  const std::unique_ptr<Model> model = registered_model(graph);
  CHECK(fuse_quantized(*model->graph, nullptr) == 1);
  CHECK(operators_of(*model).find("ByteLookup") != std::string::npos);
  Tensor x = Tensor::of<std::int8_t>(Shape{2, 3}, {-128, -7, 2, 3, 4, 127});
  SessionOptions plain = cpu_options();
  plain.optimize = OptimizeLevel::none;
  const Session expected(registered_model(graph), std::move(plain));
  const Session found(registered_model(graph), cpu_options());
  CHECK(same_bits(found.run({{"x", x}}, {})[0].tensor(), expected.run({{"x", x}}, {})[0].tensor()));
}

TEST_CASE("Quantization goes through a registered function") {
  const std::unique_ptr<Model> model =
      registered_model(R"(g (float[1,1,4,4] x) => (float[1,1,2,2] y)
      <float[1,1,2,2] w = {1, -2, 0.5, 1}> {
      [first] a = Conv (x, w)
      [bend] b = testing.Bend (a)
      [second] y = Conv (b, w) })");
  const QuantizePlan plan = make_plan(*model, {});
  std::string quantized;
  for (const PlannedNode& planned : plan.nodes)
    quantized += planned.is_quantized ? std::string(planned.node->name()) + " " : "";
  CHECK(quantized == "first bend second ");
  PlanParams numbers;
  numbers.groups.assign(static_cast<std::size_t>(plan.group_count),
                        {choose_scale({-8, 8}, {}), {}});
  insert_qdq(*model, plan, numbers);
  infer_shapes(*model);
  static_cast<void>(fuse_quantized(*model->graph, nullptr));
  CHECK(operators_of(*model).find("ByteLookup") != std::string::npos);
}

TEST_CASE("A registered function of float16 computes in float32 where it has no other kernel") {
  register_all();  // before providers are made, which read the list once
  const std::string graph = R"(g (float16[2,4] x) => (float16[2,4] y) {
      a = Relu (x) b = testing.Bend (a) y = Abs (b) })";
  const std::unique_ptr<Model> model = registered_model(graph);
  PromotedValues promoted;
  promote_fp16(*model->graph, nullptr, promoted);
  CHECK(operators_of(*model) == "Cast Relu Bend Abs Cast");
  CHECK_NOTHROW(Session(registered_model(graph), cpu_options()));
}

TEST_CASE("A registered elementwise operator lies in blocks of channels between convolutions") {
  register_all();  // before providers are made, which read the list once
  if (cpu::best_isa() < cpu::Isa::avx2) return;
  std::string numbers;
  for (int i = 0; i < 32 * 32 * 9; ++i)
    numbers += (i == 0 ? "" : ", ") + std::to_string(0.01 * (i % 23 - 11));
  const std::string graph =
      "g (float[1,32,48,48] x) => (float[1,32,48,48] y) <float[32,32,3,3] k = {" + numbers + R"(}> {
      a = Conv <pads = [1,1,1,1]> (x, k)
      b = testing.Bend (a)
      y = Conv <pads = [1,1,1,1]> (b, k) })";
  const Tensor x = random_tensor(Shape{1, 32, 48, 48}, 3);
  const Session blocked(registered_model(graph), cpu_options());
  bool is_blocked = false;
  for (const auto& [op_type, kernel] : kernels_of(blocked, {{"x", x}})) {
    if (op_type == "Bend") is_blocked = kernel.starts_with("elementwise_nchwc");
  }
  CHECK(is_blocked);
  SessionOptions plain = cpu_options();
  plain.optimize = OptimizeLevel::none;
  const Session expected(registered_model(graph), std::move(plain));
  const std::vector<float> found_numbers = floats(blocked.run({{"x", x}}, {})[0]);
  const std::vector<float> expected_numbers = floats(expected.run({{"x", x}}, {})[0]);
  for (std::size_t i = 0; i < found_numbers.size(); ++i)
    REQUIRE(found_numbers[i] == Approx(expected_numbers[i]).margin(1e-3));
}

}  // namespace ortool
