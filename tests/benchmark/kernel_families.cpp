// Kernel families: single operators and short chains as models, run by sessions at each level.
#include "tests/benchmark/kernel_families.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "libcore/api/random_inputs.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/inspect/count_macs.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/benchmark/bench_support.hpp"
#include "tests/benchmark/peak_rates.hpp"

namespace ortool::cpu::bench {
namespace {

/// Whose multiplications bound a family; none: it moves or converts bytes.
enum class Arithmetic { none, float32, bfloat16, int8 };

/// A model whose inputs named x, x1, ... are given at run time; the others are weights.
struct FamilyCase {
  const char* name;
  Arithmetic arithmetic;
  const char* graph;
};

constexpr FamilyCase cases[] = {
    {"matmul 128x768x768", Arithmetic::float32,
     "g (float[128,768] x, float[768,768] w) => (float[128,768] y) { y = MatMul (x, w) }"},
    {"matmul of batches 12x128x64x128", Arithmetic::float32,
     "g (float[12,128,64] x, float[12,64,128] x1) => (float[12,128,128] y) {"
     " y = MatMul (x, x1) }"},
    {"gemv 1x768x3072", Arithmetic::float32,
     "g (float[1,768] x, float[768,3072] w) => (float[1,3072] y) { y = MatMul (x, w) }"},
    {"conv 3x3 64 of 56", Arithmetic::float32,
     "g (float[1,64,56,56] x, float[64,64,3,3] w) => (float[1,64,56,56] y) {"
     " a = Conv <pads = [1,1,1,1]> (x, w) b = Conv <pads = [1,1,1,1]> (a, w)"
     " c = Conv <pads = [1,1,1,1]> (b, w) y = Conv <pads = [1,1,1,1]> (c, w) }"},
    {"conv 1x1 256 of 28", Arithmetic::float32,
     "g (float[1,256,28,28] x, float[256,256,1,1] w) => (float[1,256,28,28] y) {"
     " a = Conv (x, w) b = Conv (a, w) c = Conv (b, w) y = Conv (c, w) }"},
    {"depthwise conv 3x3 192 of 28", Arithmetic::float32,
     "g (float[1,192,28,28] x, float[192,1,3,3] w) => (float[1,192,28,28] y) {"
     " a = Conv <pads = [1,1,1,1], group = 192> (x, w)"
     " b = Conv <pads = [1,1,1,1], group = 192> (a, w)"
     " c = Conv <pads = [1,1,1,1], group = 192> (b, w)"
     " y = Conv <pads = [1,1,1,1], group = 192> (c, w) }"},
    {"grouped conv 3x3 32 groups of 8", Arithmetic::float32,
     "g (float[1,256,28,28] x, float[256,8,3,3] w) => (float[1,256,28,28] y) {"
     " y = Conv <pads = [1,1,1,1], group = 32> (x, w) }"},
    {"conv of one axis, 80 channels", Arithmetic::float32,
     "g (float[1,80,3000] x, float[384,80,3] w) => (float[1,384,3000] y) {"
     " y = Conv <pads = [1,1]> (x, w) }"},
    {"conv_transpose 4x4/2 64 of 28", Arithmetic::float32,
     "g (float[1,64,28,28] x, float[64,64,4,4] w) => (float[1,64,56,56] y) {"
     " y = ConvTranspose <strides = [2,2], pads = [1,1,1,1]> (x, w) }"},
    {"lstm 32 steps of 256", Arithmetic::float32,
     "g (float[32,1,256] x, float[1,1024,256] w, float[1,1024,256] r) => (float[32,1,1,256] y) {"
     " y = LSTM <hidden_size = 256> (x, w, r) }"},
    {"gru 32 steps of 256", Arithmetic::float32,
     "g (float[32,1,256] x, float[1,768,256] w, float[1,768,256] r) => (float[32,1,1,256] y) {"
     " y = GRU <hidden_size = 256> (x, w, r) }"},
    {"attention 12 heads of 128", Arithmetic::float32,
     "g (float[1,12,128,64] x, float[1,12,128,64] x1, float[1,12,128,64] x2) =>"
     " (float[1,12,128,64] y) { y = Attention (x, x1, x2) }"},
    {"matmul_bf16 128x768x768", Arithmetic::bfloat16,
     "g (float[128,768] x, float[768,768] w) => (float[128,768] y) { y = MatMul (x, w) }"},
    {"conv_bf16 3x3/2 64 of 56", Arithmetic::bfloat16,
     "g (float[1,64,56,56] x, float[64,64,3,3] w, float[256,64,1,1] v) =>"
     " (float[1,256,28,28] y) { a = Conv <pads = [1,1,1,1], strides = [2,2]> (x, w)"
     " y = Conv (a, v) }"},
    {"qlinear_matmul 128x768x768", Arithmetic::int8,
     "g (uint8[128,768] x, int8[768,768] w) => (uint8[128,768] y)"
     " <float s = {0.02}, uint8 z = {128}, float ws = {0.01}, int8 wz = {0}>"
     " { y = QLinearMatMul (x, s, z, w, ws, wz, s, z) }"},
    {"qlinear_conv 3x3 64 of 56", Arithmetic::int8,
     "g (uint8[1,64,56,56] x, int8[64,64,3,3] w) => (uint8[1,64,56,56] y)"
     " <float s = {0.02}, uint8 z = {128}, float ws = {0.01}, int8 wz = {0}>"
     " { a = QLinearConv <pads = [1,1,1,1]> (x, s, z, w, ws, wz, s, z)"
     " b = QLinearConv <pads = [1,1,1,1]> (a, s, z, w, ws, wz, s, z)"
     " y = QLinearConv <pads = [1,1,1,1]> (b, s, z, w, ws, wz, s, z) }"},
    {"qlinear_conv 1x1 256 of 28", Arithmetic::int8,
     "g (uint8[1,256,28,28] x, int8[256,256,1,1] w) => (uint8[1,256,28,28] y)"
     " <float s = {0.02}, uint8 z = {128}, float ws = {0.01}, int8 wz = {0}>"
     " { a = QLinearConv (x, s, z, w, ws, wz, s, z) b = QLinearConv (a, s, z, w, ws, wz, s, z)"
     " y = QLinearConv (b, s, z, w, ws, wz, s, z) }"},
    {"depthwise qlinear_conv 192 of 28", Arithmetic::int8,
     "g (uint8[1,192,28,28] x, int8[192,1,3,3] w) => (uint8[1,192,28,28] y)"
     " <float s = {0.02}, uint8 z = {128}, float ws = {0.01}, int8 wz = {0}>"
     " { a = QLinearConv <pads = [1,1,1,1], group = 192> (x, s, z, w, ws, wz, s, z)"
     " b = QLinearConv <pads = [1,1,1,1], group = 192> (a, s, z, w, ws, wz, s, z)"
     " y = QLinearConv <pads = [1,1,1,1], group = 192> (b, s, z, w, ws, wz, s, z) }"},
    {"matmul_nbits 4 bits 1x4096x4096", Arithmetic::none,
     "g (float[1,4096] x, uint8[4096,128,16] w, float[524288] s) => (float[1,4096] y) {"
     " y = com.microsoft.MatMulNBits <K = 4096, N = 4096, bits = 4, block_size = 32,"
     " accuracy_level = 4> (x, w, s) }"},
    {"relu 1 MB", Arithmetic::none, "g (float[64,4096] x) => (float[64,4096] y) { y = Relu (x) }"},
    {"exp 64 KB", Arithmetic::none, "g (float[4,4096] x) => (float[4,4096] y) { y = Exp (x) }"},
    {"gelu 64 KB", Arithmetic::none, "g (float[4,4096] x) => (float[4,4096] y) { y = Gelu (x) }"},
    {"add 1 MB", Arithmetic::none,
     "g (float[64,4096] x, float[64,4096] x1) => (float[64,4096] y) { y = Add (x, x1) }"},
    {"add of a row 1 MB", Arithmetic::none,
     "g (float[64,4096] x, float[4096] w) => (float[64,4096] y) { y = Add (x, w) }"},
    {"softmax 1536 rows of 128", Arithmetic::none,
     "g (float[1536,128] x) => (float[1536,128] y) { y = Softmax (x) }"},
    {"layer_normalization 128 rows of 768", Arithmetic::none,
     "g (float[128,768] x, float[768] w, float[768] b) => (float[128,768] y) {"
     " y = LayerNormalization (x, w, b) }"},
    {"reduce_mean of rows", Arithmetic::none,
     "g (float[128,768] x) => (float[128,1] y) <int64[1] a = {1}> { y = ReduceMean (x, a) }"},
    {"reduce_sum of columns", Arithmetic::none,
     "g (float[128,768] x) => (float[1,768] y) <int64[1] a = {0}> { y = ReduceSum (x, a) }"},
    {"max_pool 3x3/2 64 of 112", Arithmetic::none,
     "g (float[1,64,112,112] x) => (float[1,64,56,56] y) {"
     " y = MaxPool <kernel_shape = [3,3], strides = [2,2], pads = [1,1,1,1]> (x) }"},
    {"average_pool 2x2/2 64 of 56", Arithmetic::none,
     "g (float[1,64,56,56] x) => (float[1,64,28,28] y) {"
     " y = AveragePool <kernel_shape = [2,2], strides = [2,2]> (x) }"},
    {"transpose of heads", Arithmetic::none,
     "g (float[128,12,64] x) => (float[12,128,64] y) { y = Transpose <perm = [1,0,2]> (x) }"},
    {"transpose 768x768", Arithmetic::none,
     "g (float[768,768] x) => (float[768,768] y) { y = Transpose <perm = [1,0]> (x) }"},
    {"gather 128 rows of 768", Arithmetic::none,
     "g (float[1000,768] w, int64[128] x) => (float[128,768] y) { y = Gather (w, x) }"},
    {"concat of two along channels", Arithmetic::none,
     "g (float[8,64,784] x, float[8,64,784] x1) => (float[8,128,784] y) {"
     " y = Concat <axis = 1> (x, x1) }"},
    {"pad of images", Arithmetic::none,
     "g (float[1,64,56,56] x) => (float[1,64,58,58] y) <int64[8] p = {0,0,1,1,0,0,1,1}> {"
     " y = Pad (x, p) }"},
    {"resize linear 2x 64 of 28", Arithmetic::none,
     "g (float[1,64,28,28] x) => (float[1,64,56,56] y) <float[4] s = {1.0,1.0,2.0,2.0}> {"
     " y = Resize <mode = \"linear\"> (x, , s) }"},
    {"cast to float16 1 MB", Arithmetic::none,
     "g (float[64,4096] x) => (float16[64,4096] y) { y = Cast <to = 10> (x) }"},
    {"quantize_linear 1 MB", Arithmetic::none,
     "g (float[64,4096] x) => (uint8[64,4096] y) <float s = {0.02}, uint8 z = {128}> {"
     " y = QuantizeLinear (x, s, z) }"},
    {"dequantize_linear 256 KB", Arithmetic::none,
     "g (uint8[64,4096] x) => (float[64,4096] y) <float s = {0.02}, uint8 z = {128}> {"
     " y = DequantizeLinear (x, s, z) }"},
    {"cumsum of rows", Arithmetic::none,
     "g (float[128,768] x) => (float[128,768] y) <int64 a = {1}> { y = CumSum (x, a) }"},
    {"top_k 5 of 1000", Arithmetic::none,
     "g (float[64,1000] x) => (float[64,5] y, int64[64,5] i) <int64[1] k = {5}> {"
     " y, i = TopK (x, k) }"},
};

std::unique_ptr<Model> model_of(const FamilyCase& of, MemoryCap& memory) {
  std::unique_ptr<Model> model = parse_model(
      std::string("<ir_version: 10, opset_import: [\"\" : 23, \"com.microsoft\" : 1]>") + of.graph);
  Graph& graph = *model->graph;
  RandomInputs made = make_random_inputs(*model, {}, 0, memory);
  const std::vector<Value*> inputs(graph.inputs().begin(), graph.inputs().end());
  for (Value* input : inputs) {
    if (input->name().front() == 'x') continue;
    for (auto& [name, value] : made.values) {
      if (name == input->name()) graph.set_constant(*input, value.tensor());
    }
    graph.make_default_constant(*input);
  }
  infer_shapes(*model);
  return model;
}

/// Two operations a multiplication.
double operations_of(const Model& model) {
  return 2.0 * static_cast<double>(MacCounter(model).count(*model.graph).value().value_or(0));
}

double bytes_of(const RunValue& value) {
  return static_cast<double>(value.tensor().size_bytes());
}

/// What is read and written at least once.
double bytes_of(const Model& model, const NamedValues& inputs,
                const std::vector<RunValue>& outputs) {
  double bytes = 0;
  for (const auto& [name, value] : inputs) bytes += bytes_of(value);
  for (const RunValue& value : outputs) bytes += bytes_of(value);
  for (const Value* value : model.graph->values()) {
    const bool is_table = std::any_of(
        value->uses().begin(), value->uses().end(),
        [](const Use& use) { return use.node != nullptr && use.node->op_type() == "Gather"; });
    if (value->is_constant() && !is_table)
      bytes += static_cast<double>(value->constant().size_bytes());
  }
  return bytes;
}

double peak_of(Arithmetic arithmetic, const PeakRates& peaks) {
  switch (arithmetic) {
    case Arithmetic::int8:
      return peaks.int8_gops;
    case Arithmetic::bfloat16:
      return peaks.bf16_gflops;
    default:
      return peaks.float32_gflops;
  }
}

void print_level(const FamilyCase& of, Isa isa, const PeakRates& peaks, double budget) {
  const bool is_bf16 = of.arithmetic == Arithmetic::bfloat16;
  if (is_bf16 && peaks.bf16_gflops == 0) {
    std::printf("  %16s", "-");
    return;
  }
  MemoryCap memory;
  std::unique_ptr<Model> model = model_of(of, memory);
  const double operations = of.arithmetic == Arithmetic::none ? 0 : operations_of(*model);
  const NamedValues inputs = make_random_inputs(*model, {}, 1, memory).values;
  SessionOptions options;
  options.providers = {make_cpu_provider(isa, is_bf16 ? Precision::bfloat16 : Precision::float32)};
  const std::unique_ptr<Model> kept = model_of(of, memory);
  const Session session(std::move(model), options);
  const double bytes = bytes_of(*kept, inputs, session.run(inputs, {}));
  const double seconds = best_seconds(budget, [&] { session.run(inputs, {}); });
  const double bandwidth = peak_bandwidth(isa, static_cast<std::int64_t>(bytes));
  const double least =
      std::max(operations / peak_of(of.arithmetic, peaks), bytes / bandwidth) * 1e-9;
  const double amount = operations > 0 ? operations : bytes;
  std::printf("  %8.1f (%3.0f %%)", amount / seconds * 1e-9, 100 * least / seconds);
}

}  // namespace

void run_families(const std::function<bool(std::string_view)>& wants, double seconds) {
  constexpr Isa levels[] = {Isa::baseline, Isa::avx2, Isa::avx512, Isa::amx};
  std::map<Isa, PeakRates> peaks;
  for (const FamilyCase& each : cases) {
    const std::string name = std::string("family ") + each.name;
    if (!wants(name)) continue;
    if (peaks.empty()) {
      for (const Isa isa : levels) {
        if (isa > best_isa()) continue;
        const PeakRates& rates = peaks[isa] = measure_peak_rates(isa);
        std::printf("%-10s float32 %.0f, bfloat16 %.0f, int8 %.0f GFLOP/s\n",
                    std::string(isa_name(isa)).c_str(), rates.float32_gflops, rates.bf16_gflops,
                    rates.int8_gops);
      }
    }
    std::printf("%-44s", name.c_str());
    for (const auto& [isa, rates] : peaks) print_level(each, isa, rates, seconds);
    std::printf("  %s\n", each.arithmetic == Arithmetic::none ? "GB/s" : "GFLOP/s");
    std::fflush(stdout);
  }
}

}  // namespace ortool::cpu::bench
