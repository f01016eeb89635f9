// Sessions with bfloat16 operands: which kernels they take, how close results are to float32, and
// that their bits depend neither on threads nor on where weights lie.
#include "providers/cpu/bf16_kernels.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/cpu/gemm/bf16/gemm.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/provider_list.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

std::vector<cpu::Isa> bf16_levels() {
  std::vector<cpu::Isa> levels;
  for (const cpu::Isa isa : {cpu::Isa::avx512, cpu::Isa::amx}) {
    if (isa <= cpu::best_isa() && cpu::has_bf16_gemm(isa)) levels.push_back(isa);
  }
  return levels;
}

/// A graph with a constant `w` of that shape, and an input `x`.
struct Bf16Model {
  std::string graph;
  Shape weights;
  Shape input;
};

const Bf16Model bf16_models[] = {
    {"(float[N,200] x, float[200,70] w) => (float[N,70] y) "
     "{ p = MatMul (x, w) y = Relu (p) }",
     Shape{200, 70}, Shape{37, 200}},
    {"(float[N,300] x, float[90,300] w) => (float[N,90] y) "
     "{ y = Gemm <transB = 1, alpha = 0.5> (x, w) }",
     Shape{90, 300}, Shape{5, 300}},
    {"(float[2,64,57,61] x, float[64,64,3,3] w) => (float[2,64,A,B] y) "
     "{ a = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w) b = Relu (a) "
     "c = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (b, w) d = Relu (c) "
     "y = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (d, w) }",
     Shape{64, 64, 3, 3}, Shape{2, 64, 57, 61}},
    {"(float[1,96,28,28] x, float[96,96,1,1] w) => (float[1,96,28,28] y) "
     "{ a = Conv (x, w) b = Relu (a) c = Conv (b, w) d = Relu (c) "
     "e = Conv (d, w) f = Add (e, b) g = Relu (f) y = Conv (g, w) }",
     Shape{96, 96, 1, 1}, Shape{1, 96, 28, 28}},
    {"(float[2,128,28,30] x, float[128,128,1,1] w) => (float[N,128,A,B] y) "
     "<int64[1] s = {16384}, int64[1] b = {0}, int64[1] e = {1152}, int64[4] t = {128, 1, 3, 3}, "
     "float lo = {0}, float hi = {6}> "
     "{ f = Reshape (w, s) g = Slice (f, b, e) k = Reshape (g, t) "
     "a = Conv (x, w) c = Relu (a) d = Conv <group = 128, pads = [1, 1, 1, 1], strides = [2, 1]> "
     "(c, k) h = Clip (d, lo, hi) i = Conv (h, w) j = Add (i, i) y = Conv (j, w) }",
     Shape{128, 128, 1, 1}, Shape{2, 128, 28, 30}},
};

std::unique_ptr<Model> make_model(const Bf16Model& one) {
  auto model = parse_model("<ir_version: 8, opset_import: [\"\" : 17]>\ng " + one.graph);
  Value& w = *model->graph->find_value("w");
  model->graph->set_constant(w, random_tensor(one.weights, 7));
  model->graph->make_default_constant(w);
  return model;
}

Tensor result_of(const Session& session, const Bf16Model& one, int threads) {
  return session.run({{"x", random_tensor(one.input, 3)}}, RunOptions{.threads = threads})[0]
      .tensor()
      .owned();
}

double cosine(const Tensor& a, const Tensor& b) {
  double dot = 0;
  double of_a = 0;
  double of_b = 0;
  for (std::int64_t i = 0; i < a.element_count(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double x = a.data<float>()[at];
    const double y = b.data<float>()[at];
    dot += x * y;
    of_a += x * x;
    of_b += y * y;
  }
  return dot / std::sqrt(of_a * of_b);
}

std::string kernels_of(const Session& session) {
  std::string names;
  for (const Placement& placement : session.placement()) names += placement.kernel + " ";
  return names;
}

TEST_CASE("bfloat16 sessions are close to float32 and keep their bits", "[bf16]") {
  for (const cpu::Isa isa : bf16_levels()) {
    CAPTURE(cpu::isa_name(isa));
    for (const Bf16Model& one : bf16_models) {
      CAPTURE(one.graph);
      ThreadPool pool(4);
      SessionOptions options = cpu_options(&pool);
      options.providers = {make_cpu_provider(isa)};
      const Tensor exact = result_of(Session(make_model(one), options), one, 1);
      options.providers = {make_cpu_provider(isa, Precision::bfloat16)};
      const Session session(make_model(one), options);
      const Tensor rounded = result_of(session, one, 1);
      CHECK(kernels_of(session).find("bf16") != std::string::npos);
      CHECK(cosine(exact, rounded) > 0.9999);
      CHECK_FALSE(same_bits(exact, rounded));
      CHECK(same_bits(rounded, result_of(session, one, 4)));
      options.max_packed_bytes = 0;
      CHECK(same_bits(rounded, result_of(Session(make_model(one), options), one, 2)));
    }
  }
}

/// Whether all elements are bfloat16 values, for each output that a run computes.
class Bfloat16Observer : public ValueObserver {
 public:
  void observe(const Node& node, std::int64_t index, const RunValue& value) override {
    bool are_narrow = true;
    for (const float element : value.tensor().data<float>()) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &element, sizeof bits);
      are_narrow = are_narrow && (bits & 0xFFFFU) == 0;
    }
    seen += std::string(node.output(index)->name()) + (are_narrow ? "=bfloat16 " : "=float32 ");
  }
  std::string seen;
};

TEST_CASE("values that convolutions alone read are stored in bfloat16", "[bf16]") {
  // `b` is added as well, `d` is pooled, and `y` is the model's.
  const Bf16Model one = {
      "(float[2,96,14,14] x, float[96,96,1,1] w) => (float[2,96,7,7] y) "
      "{ a = Conv (x, w) b = Conv (a, w) c = Conv (b, w) e = Add (c, b) "
      "d = Conv (e, w) p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (d) "
      "y = Conv (p, w) }",
      Shape{96, 96, 1, 1}, Shape{2, 96, 14, 14}};
  for (const cpu::Isa isa : bf16_levels()) {
    CAPTURE(cpu::isa_name(isa));
    SessionOptions options = cpu_options();
    options.providers = {make_cpu_provider(isa, Precision::bfloat16)};
    const Session session(make_model(one), options);
    Bfloat16Observer observer;
    RunOptions run;
    run.observer = &observer;
    static_cast<void>(session.run({{"x", random_tensor(one.input, 3)}}, run));
    CHECK(observer.seen == "a=bfloat16 b=bfloat16 e=bfloat16 d=float32 p=float32 y=float32 ");
  }
}

TEST_CASE("products of tensors in 16 bits have bfloat16 operands", "[bf16]") {
  for (const DataType type : {DataType::bfloat16, DataType::float16}) {
    const std::string type_text = type == DataType::float16 ? "float16" : "bfloat16";
    for (const std::string node : {"MatMul (x, w)", "Gemm <alpha = 0.5> (x, w)"}) {
      const auto model_of = [&] {
        auto model = parse_model(
            "<ir_version: 8, opset_import: [\"\" : 17]>\n"
            "g (" +
            type_text + "[N,200] x, " + type_text + "[200,70] w) => (" + type_text +
            "[N,70] y) { y = " + node + " }");
        Value& w = *model->graph->find_value("w");
        model->graph->set_constant(w, convert(random_tensor(Shape{200, 70}, 7), type, {}, nullptr));
        model->graph->make_default_constant(w);
        return model;
      };
      const NamedValues inputs = {
          {"x", convert(random_tensor(Shape{37, 200}, 3), type, {}, nullptr)}};
      const auto floats_of = [&](const Session& session) {
        const std::vector<RunValue> results = session.run(inputs, RunOptions{});
        return convert(results[0].tensor(), DataType::float32, {}, nullptr);
      };
      for (const cpu::Isa isa : bf16_levels()) {
        CAPTURE(cpu::isa_name(isa), node);
        SessionOptions options = cpu_options();
        options.providers = {make_cpu_provider(isa)};
        const Tensor exact = floats_of(Session(model_of(), options));
        options.providers = {make_cpu_provider(isa, Precision::bfloat16)};
        const Session session(model_of(), options);
        CHECK(kernels_of(session).find("bf16") != std::string::npos);
        CHECK(cosine(exact, floats_of(session)) > (type == DataType::float16 ? 0.9999 : 0.99999));
      }
    }
  }
}

TEST_CASE("small products and products of constants stay float32", "[bf16]") {
  for (const cpu::Isa isa : bf16_levels()) {
    SessionOptions options = cpu_options();
    options.providers = {make_cpu_provider(isa, Precision::bfloat16)};
    const Bf16Model narrow = {
        "(float[N,200] x, float[200,3] w) => (float[N,3] y) "
        "{ y = MatMul (x, w) }",
        Shape{200, 3}, Shape{37, 200}};
    const Bf16Model square = {
        "(float[64,64] x, float[64,64] w) => (float[64,64] y) "
        "{ p = MatMul (w, w) y = Add (x, p) }",
        Shape{64, 64}, Shape{64, 64}};
    for (const Bf16Model& one : {narrow, square}) {
      const Session session(make_model(one), options);
      CHECK(kernels_of(session).find("bf16") == std::string::npos);
    }
  }
}

TEST_CASE("nodes that are kept in float32 have the kernels and the bits of float32", "[bf16]") {
  for (const cpu::Isa isa : bf16_levels()) {
    CAPTURE(cpu::isa_name(isa));
    for (const Bf16Model& one : bf16_models) {
      CAPTURE(one.graph);
      SessionOptions options = cpu_options();
      options.providers = {make_cpu_provider(isa)};
      const Session floats(make_model(one), options);
      int asked = 0;
      options.providers = {make_cpu_provider(isa, Precision::bfloat16, [&](const Node&) {
        ++asked;
        return true;
      })};
      const Session kept(make_model(one), options);
      CHECK(asked > 0);
      CHECK(kernels_of(kept) == kernels_of(floats));
      CHECK(same_bits(result_of(kept, one, 1), result_of(floats, one, 1)));
    }
    SessionOptions options = cpu_options();
    options.providers = {
        make_cpu_provider(isa, Precision::bfloat16, keep_matching({"Conv_2"}, {}))};
    const std::string kernels = kernels_of(Session(make_model(bf16_models[3]), options));
    CHECK(kernels.find("bf16") != std::string::npos);
    CHECK(kernels.find("conv_nchwc") != std::string::npos);
  }
}

TEST_CASE("attention has bfloat16 operands for ONNX's and ONNX Runtime's operators", "[bf16]") {
  const std::pair<const char*, const char*> operators[] = {
      {"attention_bf16", "Attention <q_num_heads = 4, kv_num_heads = 4> (x, x, x)"},
      {"multi_head_attention_bf16", "com.microsoft.MultiHeadAttention <num_heads = 4> (x, x, x)"},
      {"group_query_attention_bf16",
       "com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 4> "
       "(x, x, x, , , lengths, total)"},
  };
  const NamedValues inputs = {{"x", random_tensor(Shape{2, 33, 128}, 3)}};
  for (const auto& [kernel, node] : operators) {
    for (const cpu::Isa isa : bf16_levels()) {
      CAPTURE(cpu::isa_name(isa), kernel);
      const std::string text =
          "<ir_version: 10, opset_import: [\"\" : 23, \"com.microsoft\" : 1]>\n"
          "g (float[B,S,128] x) => (float[B,S,128] y) "
          "<int32[2] lengths = {32, 32}, int32[1] total = {33}> { y = " +
          std::string(node) + " }";
      ThreadPool pool(4);
      SessionOptions options = cpu_options(&pool);
      options.providers = {make_cpu_provider(isa)};
      const Session floats(parse_model(text), options);
      options.providers = {make_cpu_provider(isa, Precision::bfloat16)};
      const Session rounded(parse_model(text), options);
      CHECK(kernels_of(rounded).find(kernel) == 0);
      const auto run = [&](const Session& session, int threads) {
        return session.run(inputs, RunOptions{.threads = threads})[0].tensor().owned();
      };
      const Tensor exact = run(floats, 1);
      const Tensor found = run(rounded, 1);
      CHECK(cosine(exact, found) > 0.9999);
      CHECK_FALSE(same_bits(exact, found));
      CHECK(same_bits(found, run(rounded, 4)));
    }
  }
}

TEST_CASE("a precision is chosen by what the processor has", "[bf16]") {
  CHECK(choose_precision(Precision::float32).reason.empty());
  const PrecisionChoice there = choose_precision(Precision::automatic);
  CHECK((there.precision == Precision::float32 || there.precision == Precision::bfloat16));
  CHECK_FALSE(there.reason.empty());
  const PrecisionChoice below = choose_precision(Precision::automatic, "avx2");
  CHECK(below.precision == Precision::float32);
  CHECK(below.reason.find("AVX512-BF16") != std::string::npos);
  try {
    static_cast<void>(choose_precision(Precision::bfloat16, "avx2"));
    FAIL("bfloat16 was chosen");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::provider_unavailable);
    CHECK(error.hint().find("auto") != std::string::npos);
  }
}

}  // namespace
}  // namespace ortool
