// The onednn provider against the cpu provider: same results, same bits for any number of threads.
#include "providers/onednn/onednn_provider.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/compare.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

bool has_onednn() {
  return make_onednn_provider()->unavailable_because().empty();
}

SessionOptions onednn_options(ThreadPool* pool = nullptr, int threads = 1) {
  SessionOptions options;
  options.providers = {make_onednn_provider(), make_cpu_provider()};
  options.pool = pool;
  options.threads = threads;
  return options;
}

/// The kernels of a session in execution order.
std::vector<std::string> kernels_of(const Session& session) {
  std::vector<std::string> names;
  for (const Placement& placement : session.placement()) names.emplace_back(placement.kernel);
  return names;
}

/// Runs a model with one float32 input on both providers and with several numbers of threads.
void check_alike(std::string_view text, const Shape& shape, std::string_view kernel) {
  if (!has_onednn()) return;
  ThreadPool pool(8);
  const auto ours = make_session(text, cpu_options(&pool));
  const auto theirs = make_session(text, onednn_options(&pool, 8));
  const std::vector<std::string> kernels = kernels_of(*theirs);
  CHECK(std::find(kernels.begin(), kernels.end(), kernel) != kernels.end());
  const NamedValues inputs = {{"x", random_tensor(shape, 7)}};
  const std::vector<RunValue> expected = ours->run(inputs, {});
  const std::vector<RunValue> first = theirs->run(inputs, {});
  CHECK(compare(first[0].tensor(), expected[0].tensor(), {.rtol = 1e-4, .atol = 1e-4}).passed);
  for (const int threads : {2, 4, 8}) {
    RunOptions options;
    options.threads = threads;
    CHECK(same_bits(theirs->run(inputs, options)[0].tensor(), first[0].tensor()));
  }
}

std::string conv_model(const Shape& x, const Shape& weights, std::string_view node) {
  std::string text = R"(<ir_version: 9, opset_import: ["" : 17]> g (float[)";
  const auto join = [](const Shape& shape) {
    std::string list;
    for (const std::int64_t each : shape) list += (list.empty() ? "" : ",") + std::to_string(each);
    return list;
  };
  text += join(x) + "] x) => (float y) <float[" + join(weights) + "] w = {";
  for (std::int64_t i = 0; i < weights.element_count(); ++i)
    text += (i == 0 ? "" : ",") + std::to_string(0.01 * static_cast<double>(i * 7 % 19 - 9));
  return text + "}> { " + std::string(node) + " }";
}

}  // namespace

TEST_CASE("oneDNN packs weights that were made here anew for images that want another form") {
  if (!has_onednn()) return;
  const auto make = [](SessionOptions options, const std::string& image = "N,3,H,W") {
    auto model = parse_model(R"(<ir_version: 9, opset_import: ["" : 17]> g (float[)" + image +
                             R"(] x, float[96,3,9,9] w) => (float y) {
        y = Conv <pads = [4, 4, 4, 4]> (x, w)
      })");
    Value& w = *model->graph->find_value("w");
    model->graph->set_constant(w, random_tensor(Shape{96, 3, 9, 9}, 3));
    model->graph->make_default_constant(w);
    return std::make_unique<const Session>(std::move(model), std::move(options));
  };
  const auto ours = make(cpu_options());
  const auto theirs = make(onednn_options());
  for (const Shape& shape : {Shape{1, 3, 32, 32}, Shape{1, 3, 1, 1}, Shape{2, 3, 1, 70},
                             Shape{1, 3, 300, 2}, Shape{3, 3, 5, 5}}) {
    const NamedValues inputs = {{"x", random_tensor(shape, 7)}};
    INFO(shape.to_string());
    CHECK(compare(theirs->run(inputs, {})[0].tensor(), ours->run(inputs, {})[0].tensor(),
                  {.rtol = 1e-4, .atol = 1e-4})
              .passed);
  }
  const Shape nothing = {0, 3, 32, 32};
  const auto of_nothing = make(onednn_options(), "0,3,32,32");
  CHECK(of_nothing->run({{"x", Tensor(DataType::float32, nothing)}}, {})[0].tensor().shape() ==
        Shape{0, 96, 32, 32});
}

TEST_CASE("oneDNN convolves as our own kernels do, for channels in and beside whole blocks") {
  const std::string conv = "y = Conv <pads = [1, 1, 1, 1]> (x, w)";
  for (const auto& [in, out] : {std::pair{16, 32}, {3, 16}, {1, 5}, {20, 40}, {64, 100}}) {
    const Shape x = {2, in, 9, 11};
    check_alike(conv_model(x, {out, in, 3, 3}, conv), x, "onednn_conv");
  }
}

TEST_CASE(
    "oneDNN convolves groups, depth by depth, dilated, strided, and along one and three axes") {
  check_alike(conv_model({1, 8, 9, 9}, {12, 4, 3, 3}, "y = Conv <group = 2> (x, w)"), {1, 8, 9, 9},
              "onednn_conv");
  check_alike(
      conv_model({2, 40, 9, 9}, {40, 1, 3, 3}, "y = Conv <group = 40, strides = [2, 2]> (x, w)"),
      {2, 40, 9, 9}, "onednn_conv");
  check_alike(conv_model({1, 16, 12, 9}, {16, 16, 3, 2},
                         "y = Conv <dilations = [2, 3], pads = [2, 0, 1, 3]> (x, w)"),
              {1, 16, 12, 9}, "onednn_conv");
  check_alike(conv_model({2, 20, 30}, {24, 20, 5}, "y = Conv <strides = [3]> (x, w)"), {2, 20, 30},
              "onednn_conv");
  check_alike(conv_model({1, 4, 5, 6, 7}, {8, 4, 2, 3, 2}, "y = Conv (x, w)"), {1, 4, 5, 6, 7},
              "onednn_conv");
}

TEST_CASE("oneDNN convolves backwards, with groups and output padding") {
  check_alike(conv_model({2, 20, 7, 8}, {20, 12, 3, 3},
                         "y = ConvTranspose <strides = [2, 2], output_padding = [1, 1]> (x, w)"),
              {2, 20, 7, 8}, "onednn_conv_transpose");
  check_alike(conv_model({1, 32, 7, 8}, {32, 8, 2, 2},
                         "y = ConvTranspose <group = 2, strides = [2, 2]> (x, w)"),
              {1, 32, 7, 8}, "onednn_conv_transpose");
}

TEST_CASE("what follows a convolution is computed with it on oneDNN too") {
  const std::string nodes = "c = Conv <pads = [1, 1, 1, 1]> (x, w)\n s = Add (x, c)\n y = Relu (s)";
  const Shape x = {2, 32, 9, 9};
  check_alike(conv_model(x, {32, 32, 3, 3}, nodes), x, "onednn_conv");
  if (!has_onednn()) return;
  const auto session = make_session(conv_model(x, {32, 32, 3, 3}, nodes), onednn_options());
  CHECK(kernels_of(*session) == std::vector<std::string>(3, "onednn_conv"));
}

TEST_CASE("oneDNN multiplies by constant matrices cut into pieces, and batches of computed ones") {
  check_alike(conv_model({150, 70}, {70, 200}, "y = MatMul (x, w)"), {150, 70}, "onednn_matmul");
  check_alike(conv_model({1, 70}, {5, 70}, "y = Gemm <transB = 1, alpha = 0.5> (x, w)"), {1, 70},
              "onednn_gemm");
  check_alike(R"(<ir_version: 9, opset_import: ["" : 17]> g (float[3,40,24] x) => (float y) {
                   t = Transpose <perm = [0, 2, 1]> (x)
                   y = MatMul (x, t) })",
              {3, 40, 24}, "onednn_matmul");
}

TEST_CASE("oneDNN pools as our own kernels do") {
  const auto model = [](std::string_view node) {
    return R"(<ir_version: 9, opset_import: ["" : 17]> g (float[2,20,9,10] x) => (float y) { y = )" +
           std::string(node) + " (x) }";
  };
  const Shape x = {2, 20, 9, 10};
  check_alike(model("MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]>"), x,
              "onednn_max_pool");
  check_alike(model("AveragePool <kernel_shape = [2, 3], ceil_mode = 1, strides = [2, 2]>"), x,
              "onednn_average_pool");
  check_alike(model("GlobalAveragePool"), x, "onednn_global_average_pool");
  check_alike(model("GlobalMaxPool"), x, "onednn_global_max_pool");
}

TEST_CASE("a chain on oneDNN stays in blocks, whose filling stays zero") {
  const std::string nodes = R"(
      a = Conv <pads = [1, 1, 1, 1], strides = [1, 1]> (x, w)
      r = Clip (a, low)
      p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r)
      b = Conv <pads = [1, 1, 1, 1]> (p, w)
      s = Add (b, p)
      y = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (s))";
  const Shape shape = {2, 40, 64, 64};
  std::string text = conv_model(shape, {40, 40, 3, 3}, nodes);
  text.replace(text.find("> {"), 1, ", float low = {0.5}>");
  check_alike(text, shape, "onednn_max_pool");
  if (!has_onednn()) return;
  std::size_t reorders = 0;
  for (const std::string& kernel : kernels_of(*make_session(text, onednn_options())))
    reorders += kernel.find("reorder") != std::string::npos ? 1U : 0U;
  CHECK(reorders <= 2);
}

TEST_CASE("NaN and infinities pass through oneDNN's convolutions, activations and pools") {
  if (!has_onednn()) return;
  const Shape shape = {1, 16, 4, 4};
  Tensor x(DataType::float32, shape);
  for (float& value : x.mutable_data<float>()) value = -infinity;
  x.mutable_data<float>()[0] = nan_value;
  const auto text = [](std::string_view nodes) {
    return R"(<ir_version: 9, opset_import: ["" : 17]> g (float[1,16,4,4] x) => (float y) )"
           R"(<float six = {6.0}, float zero = {0.0}> { )" +
           std::string(nodes) + " }";
  };
  const auto run = [&](const std::string& model) {
    return floats(make_session(model, onednn_options())->run({{"x", x}}, {})[0]);
  };
  const std::vector<float> pooled =
      run(text("y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)"));
  CHECK(std::isnan(pooled[0]));
  CHECK(pooled[1] == -infinity);
  for (const std::string_view activation : {"Relu (c)", "Clip (c, zero, six)"}) {
    std::string model = conv_model(shape, {16, 1, 1, 1}, "c = Conv <group = 16> (x, w)\n y = ");
    model.insert(model.rfind(" }"), std::string(activation));
    const auto constants = std::string("> { c =");
    model.replace(model.find(constants), 1, ", float six = {6.0}, float zero = {0.0}>");
    CHECK(std::isnan(run(model)[0]));
  }
}

TEST_CASE("a session on oneDNN serves new shapes and several threads at once") {
  if (!has_onednn()) return;
  const std::string text = R"(
    <ir_version: 9, opset_import: ["" : 17]> g (float[N,4,H,H] x, float[8,4,3,3] w) => (float y) {
      c = Conv <pads = [1, 1, 1, 1]> (x, w)
      r = Relu (c)
      y = MaxPool <kernel_shape = [2, 2]> (r) })";
  ThreadPool pool(3);
  MemoryCap cap;
  SessionOptions options = onednn_options(&pool, 3);
  options.cap = &cap;
  const auto session = make_session(text, options);
  const auto reference = make_session(text);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::int64_t size = 2; size < 12; ++size) {
        const NamedValues inputs = {{"x", random_tensor({1 + size % 3, 4, size, size}, thread)},
                                    {"w", random_tensor({8, 4, 3, 3}, thread + 9)}};
        RunOptions run;
        run.threads = 3;
        const RunValue found = session->run(inputs, run)[0];
        const RunValue expected = reference->run(inputs, {})[0];
        if (!compare(found.tensor(), expected.tensor(), {.rtol = 1e-4, .atol = 1e-4}).passed)
          ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("images and matrices without elements run on oneDNN's provider") {
  if (!has_onednn()) return;
  const std::string conv = R"(
    <ir_version: 9, opset_import: ["" : 17]> g (float[N,3,5,5] x, float[4,3,1,1] w) => (float y) {
      y = Conv (x, w) })";
  const auto session = make_session(conv, onednn_options());
  const RunValue empty = session->run(
      {{"x", Tensor(DataType::float32, {0, 3, 5, 5})}, {"w", random_tensor({4, 3, 1, 1}, 1)}},
      {})[0];
  CHECK(empty.tensor().shape() == Shape{0, 4, 5, 5});
  const std::string product = R"(
    <ir_version: 9, opset_import: ["" : 17]> g (float[M,K] a, float[K,N] b) => (float y) {
      y = MatMul (a, b) })";
  const RunValue zeros = make_session(product, onednn_options())
                             ->run({{"a", Tensor(DataType::float32, {2, 0})},
                                    {"b", Tensor(DataType::float32, {0, 3})}},
                                   {})[0];
  CHECK(floats(zeros) == std::vector<float>(6, 0.0F));
}

TEST_CASE("the onednn provider says why it leaves a node") {
  if (!has_onednn()) return;
  const auto reason_of = [](std::string_view text) {
    const auto session = make_session(text, onednn_options());
    return std::string(session->placement().front().reasons.at(0));
  };
  CHECK_THAT(reason_of(R"(<ir_version: 9, opset_import: ["" : 17]>
                          g (double[2,2] x) => (double y) { y = MatMul (x, x) })"),
             Catch::Contains("float32 only"));
  CHECK_THAT(reason_of(R"(<ir_version: 9, opset_import: ["" : 17]>
                          g (float[2,2] x) => (float y) { y = Exp (x) })"),
             Catch::Contains("oneDNN is not used for Exp"));
  CHECK_THAT(reason_of(R"(<ir_version: 9, opset_import: ["" : 17]> g (float[1,2,4] x)
                          => (float y, int64 i) { y, i = MaxPool <kernel_shape = [2]> (x) })"),
             Catch::Contains("the indices of the maxima"));
}

TEST_CASE("where nothing is to be fused, what follows a convolution is left to the cpu provider") {
  if (!has_onednn()) return;
  SessionOptions options = onednn_options();
  options.optimize = OptimizeLevel::none;
  const std::string text = conv_model({1, 4, 6, 6}, {8, 4, 3, 3}, "c = Conv (x, w)\n y = Relu (c)");
  const auto session = make_session(text, options);
  REQUIRE(session->placement().size() == 2);
  CHECK(session->placement()[0].provider == "onednn");
  CHECK(session->placement()[1].provider == "cpu");
  CHECK_THAT(session->placement()[1].reasons.at(0), Catch::Contains("not used for Relu"));
}

TEST_CASE("with every node on oneDNN a strict session runs, and else it says what cannot") {
  if (!has_onednn()) return;
  SessionOptions options = onednn_options();
  options.strict_provider = true;
  const std::string all = conv_model({1, 4, 6, 6}, {8, 4, 3, 3}, "c = Conv (x, w)\n y = Relu (c)");
  CHECK_NOTHROW(make_session(all, options));
  const std::string some = conv_model({1, 4, 6, 6}, {8, 4, 3, 3}, "c = Conv (x, w)\n y = Exp (c)");
  CHECK_THROWS_WITH(make_session(some, options), Catch::Contains("cannot run on 'onednn'"));
}
