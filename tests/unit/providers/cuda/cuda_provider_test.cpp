// The cuda provider on an emulated device: parts of graphs, replay, memory, errors.
#include "providers/cuda/cuda_provider.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/tensor/compare.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/cuda/provider_settings.hpp"
#include "tests/cuda_emulation/emulated_session.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;
using test::EmulatedSession;

namespace {

constexpr std::string_view product_model = R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[N,3] x) => (float[N,2] y) <float[3,2] w = {1, -2, 3, 4, -5, 6}, float[2] b = {0.5, -0.5}> {
    p = MatMul (x, w)
    s = Add (p, b)
    y = Relu (s)
  })";

/// NonZero has no kernel on the device, and its result comes back.
constexpr std::string_view divided_model = R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[4] x) => (float[4] y, int64[1,K] at) {
    a = Exp (x)
    at = NonZero (a)
    c = Cast <to = 1> (at)
    s = ReduceSum <keepdims = 0> (c)
    y = Mul (a, s)
  })";

}  // namespace

TEST_CASE("a product with bias and Relu is one call of the cuda device, with two copies") {
  const EmulatedSession emulated(product_model);
  const Tensor y = emulated.run({{"x", Tensor::of<float>(Shape{1, 3}, {1, 2, 3})}});
  CHECK(floats(y) == std::vector<float>{0, 23.5});
  CHECK(emulated.device->counts().products == 1);
  CHECK(emulated.device->counts().launches == 0);
  CHECK(emulated.device->counts().uploads == 1);
  CHECK(emulated.device->counts().downloads == 1);
}

TEST_CASE("the second run of a shape is captured by the cuda provider, later ones are replayed") {
  const EmulatedSession emulated(product_model);
  for (int i = 0; i < 4; ++i) {
    const auto x = static_cast<float>(i);
    const Tensor y = emulated.run({{"x", Tensor::of<float>(Shape{1, 3}, {x, 0, 0})}});
    CHECK(floats(y) == std::vector<float>{x + 0.5F, 0});
  }
  CHECK(emulated.device->counts().captures == 1);
  CHECK(emulated.device->counts().replays == 3);
  emulated.run({{"x", Tensor::of<float>(Shape{2, 3}, {1, 0, 0, 0, 1, 0})}});
  CHECK(emulated.device->counts().captures == 1);
}

TEST_CASE("nodes that the cuda device does not take divide a graph without changing its results") {
  const EmulatedSession emulated(divided_model);
  const Tensor x = Tensor::of<float>(Shape{4}, {0, 1, 2, 3});
  const auto expected = make_session(divided_model)->run({{"x", x}}, {});
  for (int i = 0; i < 3; ++i) {
    const auto found = emulated.session->run({{"x", x}}, {});
    CHECK(compare(found[0].tensor(), expected[0].tensor(), {.rtol = 1e-5, .atol = 1e-6}).passed);
    CHECK(integers(found[1]) == integers(expected[1]));
  }
  const std::vector<std::string> providers = emulated.providers();
  CHECK(std::count(providers.begin(), providers.end(), "cuda") == 4);
}

TEST_CASE("shape arithmetic belongs to a part of the cuda provider and costs no launch") {
  const EmulatedSession emulated(R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[N,4] x) => (float[M,2,2] y) <int64[1] first = {0}, int64[2] rest = {2, 2}> {
      e = Exp (x)
      s = Shape (e)
      n = Gather <axis = 0> (s, first)
      t = Concat <axis = 0> (n, rest)
      y = Reshape (e, t)
    })");
  const Tensor y = emulated.run({{"x", random_tensor(Shape{3, 4}, 1)}});
  CHECK(y.shape() == Shape{3, 2, 2});
  CHECK(emulated.device->counts().launches == 1);
}

TEST_CASE("sizes that exporters choose by comparisons divide no graph of the cuda provider") {
  // As PyTorch writes x.expand(rows, -1) and x[-rows:].
  constexpr std::string_view text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[N,3] x, float[1,3] b) => (float[M,3] y, float[K,3] z)
    <int64[1] three = {3}, int64[1] first = {0}, int64[1] second = {1}, int64[1] minus = {-1}, int64[1] most = {9223372036854775807}> {
      e = Exp (x)
      s = Shape (e)
      rows = Slice (s, first, second)
      wanted = Concat <axis = 0> (rows, minus)
      count = Shape (wanted)
      ones = ConstantOfShape <value = int64[1] {1}> (count)
      open = Mul (ones, minus)
      is_open = Equal (wanted, open)
      is_given = Not (is_open)
      sizes = Where (is_given, wanted, ones)
      y = Expand (b, sizes)
      from = Neg (rows)
      z = Slice (e, from, most, first)
    })";
  const EmulatedSession emulated(text);
  const auto plain = make_session(text);
  for (const std::int64_t rows : {1, 4}) {
    const NamedValues inputs = {{"x", random_tensor(Shape{rows, 3}, 1)},
                                {"b", random_tensor(Shape{1, 3}, 2)}};
    const std::int64_t uploads = emulated.device->counts().uploads;
    const auto found = emulated.session->run(inputs, {});
    const auto wanted = plain->run(inputs, {});
    CHECK(same_bits(found[0].tensor(), wanted[0].tensor()));
    CHECK(found[1].tensor().shape() == wanted[1].tensor().shape());
    CHECK(emulated.device->counts().uploads - uploads == 2);
  }
  const auto names = emulated.providers();
  CHECK(std::all_of(names.begin(), names.end(), [](const auto& name) { return name == "cuda"; }));
}

TEST_CASE("the cuda device fills values of shapes that are too long to be known to the host") {
  const EmulatedSession emulated(R"(<ir_version: 9, opset_import: ["" : 17]>
    g (int64[N] x) => (int64[N] y) {
      s = Shape (x)
      ones = ConstantOfShape <value = int64[1] {1}> (s)
      below = Neg (ones)
      y = Add (x, below)
    })");
  for (const std::int64_t count : {3, 2000}) {
    Tensor x(DataType::int64, Shape{count});
    std::iota(x.mutable_data<std::int64_t>().begin(), x.mutable_data<std::int64_t>().end(), 0);
    const Tensor y = emulated.run({{"x", x}});
    CHECK(y.data<std::int64_t>().front() == -1);
    CHECK(y.data<std::int64_t>().back() == count - 2);
  }
}

TEST_CASE("a session of the cuda provider survives a run without memory, which names the figures") {
  const EmulatedSession emulated(product_model, {.limit_bytes = 4096});
  try {
    emulated.run({{"x", random_tensor(Shape{1000, 3}, 1)}});
    FAIL("the run needs more memory than there is");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::memory_limit);
    CHECK(std::string(error.what()).find("4096") != std::string::npos);
  }
  CHECK(floats(emulated.run({{"x", Tensor::of<float>(Shape{1, 3}, {1, 2, 3})}})) ==
        std::vector<float>{0, 23.5});
}

TEST_CASE("a session of the cuda provider survives a launch that fails") {
  const EmulatedSession emulated(divided_model, {.failing_launch = 0});
  const NamedValues inputs = {{"x", Tensor::of<float>(Shape{4}, {0, 1, 2, 3})}};
  CHECK_THROWS_AS(emulated.run(inputs), Error);
  CHECK(emulated.run(inputs).shape() == Shape{4});
}

TEST_CASE("an index out of range on the cuda device is an error that names the node") {
  const EmulatedSession emulated(R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[3] x, int64[K] i) => (float[K] y) {
      [pick] y = Gather (x, i)
    })");
  const Tensor x = vector_of({1, 2, 3});
  CHECK_THROWS_WITH(emulated.run({{"x", x}, {"i", integers_of({0, 3})}}),
                    Catch::Contains("Gather") && Catch::Contains("out of range"));
  CHECK(floats(emulated.run({{"x", x}, {"i", integers_of({2, -3})}})) == std::vector<float>{3, 1});
}

TEST_CASE("threads share a session of the cuda provider") {
  const EmulatedSession emulated(product_model);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 20; ++i) {
        const auto x = static_cast<float>(thread * 100 + i);
        const Tensor y = emulated.run({{"x", Tensor::of<float>(Shape{1, 3}, {x, 0, 0})}});
        if (floats(y)[0] != x + 0.5F) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("all memory of the cuda device is released with its sessions") {
  auto device = std::make_shared<test::EmulatedDevice>();
  for (int i = 0; i < 2; ++i) {
    SessionOptions options;
    options.providers = {
        cuda::make_provider_on([&](std::int64_t, std::int64_t) { return device; }, {}),
        make_cpu_provider()};
    const auto session = make_session(product_model, std::move(options));
    session->run({{"x", random_tensor(Shape{5, 3}, 1)}}, {});
    CHECK(device->live_allocations() > 0);
  }
  CHECK(device->live_allocations() == 0);
  CHECK(device->memory().used_bytes == 0);
}

TEST_CASE("the cuda provider holds values as float16 on request, within the type's precision") {
  const EmulatedSession emulated(product_model, {}, "precision=float16");
  const Tensor x = random_tensor(Shape{7, 3}, 1);
  const auto expected = make_session(product_model)->run({{"x", x}}, {});
  const Tensor found = emulated.run({{"x", x}});
  CHECK(found.type() == DataType::float32);
  CHECK(compare(found, expected[0].tensor(), {.rtol = 1e-2, .atol = 1e-2}).passed);
  CHECK_FALSE(same_bits(found, expected[0].tensor()));
}

TEST_CASE("options of the cuda provider are read and wrong ones refused") {
  const cuda::ProviderSettings settings =
      cuda::read_settings("device=1,memory-limit=2G,precision=tf32,channels-last=on,tune=on");
  CHECK(settings.device == 1);
  CHECK(settings.memory_limit == std::int64_t{2} << 30);
  CHECK(settings.plan.precision == cuda::DevicePrecision::tf32);
  CHECK(settings.plan.channels_last == cuda::Choice::on);
  CHECK(settings.plan.tunes);
  for (const char* wrong : {"tune=auto", "channels-last=yes", "device=-1", "memory-limit=2X",
                            "memory-limit=", "precision=int8", "name=1", "device"})
    CHECK_THROWS_AS(cuda::read_settings(wrong), Error);
}

namespace {

/// A session in 16 bits beside one of the cpu in float32, on the same random inputs.
void check_half(std::string_view text, const NamedValues& inputs, std::string_view options,
                double tolerance) {
  const EmulatedSession emulated(text, {}, options);
  const auto expected = make_session(text)->run(inputs, {});
  for (int i = 0; i < 2; ++i) {
    const auto found = emulated.session->run(inputs, {});
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const TensorComparison comparison =
          compare(found[k].tensor(), expected[k].tensor(),
                  {.rtol = tolerance, .atol = tolerance, .atol_of_max = true});
      INFO("output " << k << " differs by " << comparison.max_abs_error);
      CHECK(comparison.passed);
    }
  }
  for (const std::string& provider : emulated.providers()) CHECK(provider == "cuda");
}

/// Convolutions of each kind, a pool, a residual, channels that are joined, and a product.
constexpr std::string_view image_model = R"(<ir_version: 9, opset_import: ["" : 17]>
  g (float[2,3,12,10] x, float[8,3,3,3] w, float[8] b, float[8,1,3,3] d, float[8,8,1,1] p, float[1,8,1,1] s)
    => (float[2,16] y, float[2,16,6,5] z) {
    c = Conv <pads = [1, 1, 1, 1]> (x, w, b)
    r = Relu (c)
    m = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (r)
    e = Conv <group = 8, pads = [0, 0, 2, 2]> (m, d, b)
    f = Clip (e)
    q = Conv (f, p, b)
    a = Add (q, m)
    t = Mul (a, s)
    z = Concat <axis = 1> (t, m)
    v = GlobalAveragePool (z)
    y = Flatten (v)
  })";

NamedValues image_inputs() {
  return {{"x", random_tensor(Shape{2, 3, 12, 10}, 1)},
          {"w", random_tensor(Shape{8, 3, 3, 3}, 2)},
          {"b", random_tensor(Shape{8}, 3)},
          {"d", random_tensor(Shape{8, 1, 3, 3}, 4)},
          {"p", random_tensor(Shape{8, 8, 1, 1}, 5)},
          {"s", random_tensor(Shape{1, 8, 1, 1}, 6)}};
}

}  // namespace

TEST_CASE(
    "images with channels last give the results of those in order, in each way of the cuda "
    "provider") {
  for (const char* options :
       {"channels-last=off", "channels-last=on", "channels-last=on,pointwise-products=off",
        "channels-last=on,depthwise-kernel=off", "channels-last=on,vectors=off"}) {
    INFO(options);
    check_half(image_model, image_inputs(), options, 1e-5);
    check_half(image_model, image_inputs(), std::string("precision=float16,") + options, 1e-2);
    check_half(image_model, image_inputs(), std::string("precision=bfloat16,") + options, 5e-2);
  }
}

TEST_CASE("weights that are constants lie on the cuda device with their channels last, once") {
  const std::string text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[1,2,3,3] x) => (float[1,1,3,3] y) <float[1,2,1,1] w = {2, -3}> { y = Conv (x, w) })";
  const EmulatedSession emulated(text, {}, "channels-last=on");
  const Tensor x = random_tensor(Shape{1, 2, 3, 3}, 1);
  const auto expected = make_session(text)->run({{"x", x}}, {});
  CHECK(
      compare(emulated.run({{"x", x}}), expected[0].tensor(), {.rtol = 1e-5, .atol = 1e-6}).passed);
  // The image is reordered; the result has one channel.
  CHECK(emulated.device->counts().launches == 1);
  CHECK(emulated.device->counts().products == 1);
}

TEST_CASE("attention by tensor tiles agrees with the cpu for odd sizes, masks and shared heads") {
  struct Sizes {
    std::int64_t batch, heads, shared, queries, keys, size, value_size;
  };
  for (const Sizes& s : {Sizes{1, 2, 2, 70, 70, 64, 64}, Sizes{2, 4, 2, 9, 130, 20, 33},
                         Sizes{1, 2, 1, 65, 65, 128, 100}, Sizes{1, 1, 1, 8, 1, 5, 3}}) {
    const std::string text = format(
        R"(<ir_version: 10, opset_import: ["" : 23]>
        g (float[{},{},{},{}] q, float[{},{},{},{}] k, float[{},{},{},{}] v, float[{},{}] m)
          => (float[B,H,Q,V] y, float[B,H,Q,V] z) {
          y = Attention (q, k, v, m)
          z = Attention <is_causal = 1> (q, k, v)
        })",
        s.batch, s.heads, s.queries, s.size, s.batch, s.shared, s.keys, s.size, s.batch, s.shared,
        s.keys, s.value_size, s.queries, s.keys);
    const NamedValues inputs = {
        {"q", random_tensor(Shape{s.batch, s.heads, s.queries, s.size}, 1)},
        {"k", random_tensor(Shape{s.batch, s.shared, s.keys, s.size}, 2)},
        {"v", random_tensor(Shape{s.batch, s.shared, s.keys, s.value_size}, 3)},
        {"m", random_tensor(Shape{s.queries, s.keys}, 4)}};
    INFO(text);
    for (const char* way : {"on", "off"}) {
      INFO(way);
      check_half(text, inputs, std::string("precision=float16,tensor-attention=") + way, 1e-2);
    }
  }
}

TEST_CASE("products of one value with constants of one shape are one call of the cuda device") {
  const std::string text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[N,2] x) => (float[N,4] q, float[N,4] k, float[N,4] s) <
      float[2,4] a = {1, 2, 3, 4, 5, 6, 7, 8}, float[2,4] b = {8, 7, 6, 5, 4, 3, 2, 1}, float[2,4] c = {1, 1, 2, 2, 3, 3, 4, 4},
      float[4] d = {1, 2, 3, 4}, float[4] e = {4, 3, 2, 1}, float[4] f = {0.5, 0, 0, 0}> {
      q1 = MatMul (x, a) k1 = MatMul (x, b) v1 = MatMul (x, c)
      q = Add (q1, d) k = Add (k1, e) v = Add (v1, f)
      s = Exp (v)
    })";
  const Tensor x = random_tensor(Shape{3, 2}, 1);
  const auto expected = make_session(text)->run({{"x", x}}, {});
  for (const bool merges : {true, false}) {
    // The session joins products that are as small as these itself.
    SessionOptions session_options;
    session_options.skipped_passes = {"fuse-horizontal-biased-matmul"};
    const EmulatedSession emulated(text, {}, merges ? "" : "merge-products=off",
                                   std::move(session_options));
    const auto found = emulated.session->run({{"x", x}}, {});
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(compare(found[i].tensor(), expected[i].tensor(), {.rtol = 1e-5, .atol = 1e-6}).passed);
    CHECK(emulated.device->counts().products == (merges ? 1 : 3));
  }
}

TEST_CASE("rows and chains of vectors give the results of single elements on the cuda device") {
  const std::string text = R"(<ir_version: 9, opset_import: ["" : 17]>
    g (float[5,40] x, float[40] a, float[5,1] b) => (float[5,40] y, float[5,40] r) {
      x1 = Neg (a)
      g1 = Mul (x, a) g2 = Add (g1, b) g3 = Sigmoid (g2) g4 = Sub (x, g3)
      r = Relu (g4)
      y = LayerNormalization (r, a, x1)
    })";
  const NamedValues inputs = {{"x", random_tensor(Shape{5, 40}, 1)},
                              {"a", random_tensor(Shape{40}, 2)},
                              {"b", random_tensor(Shape{5, 1}, 3)}};
  for (const char* options : {"vectors=on", "vectors=off"}) {
    check_half(text, inputs, options, 1e-5);
    check_half(text, inputs, std::string("precision=float16,") + options, 2e-2);
  }
}
