// Sessions: results, plans per shape, views and in-place kernels, threads, stop requests, caps.
#include "libcore/runtime/session.hpp"

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/session_support.hpp"

using ortool::cpu_options;
using ortool::Error;
using ortool::ErrorCode;
using ortool::floats;
using ortool::make_session;
using ortool::MemoryCap;
using ortool::parse_model;
using ortool::random_tensor;
using ortool::same_bits;
using ortool::Session;
using ortool::Shape;
using ortool::StopToken;
using ortool::Tensor;
using ortool::ThreadPool;

namespace {

constexpr std::string_view session_chain = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  chain (float[N,4] x) => (float[N,4] y) {
    a = Relu(x)
    b = Neg(a)
    y = Add(a, b)
  })";

/// Convolution, pooling, shape arithmetic, product and softmax.
std::unique_ptr<ortool::Model> network_model() {
  return parse_model(R"(
  <ir_version: 8, opset_import: ["" : 17]>
  network (float[N,3,8,8] x) => (float[N,5] y)
  <int64[4] w_shape = {6,3,3,3}, int64[2] v_shape = {96,5}, int64[1] rest = {96}>
  {
    w0 = ConstantOfShape <value = float[1] {0.05}> (w_shape)
    v0 = ConstantOfShape <value = float[1] {0.01}> (v_shape)
    c = Conv <pads = [1,1,1,1]> (x, w0)
    r = Relu(c)
    p = MaxPool <kernel_shape = [2,2], strides = [2,2]> (r)
    s = Shape <end = 1> (p)
    shape = Concat <axis = 0> (s, rest)
    f = Reshape(p, shape)
    m = MatMul(f, v0)
    y = Softmax(m)
  })");
}

}  // namespace

TEST_CASE("A session computes a chain for every batch size it is given") {
  const auto session = make_session(session_chain);
  for (const std::int64_t batch : {1, 3, 0, 2}) {
    const Tensor x = random_tensor(Shape{batch, 4}, 1);
    const auto outputs = session->run({{"x", x}}, {});
    REQUIRE(outputs.size() == 1);
    CHECK(outputs[0].tensor().shape() == Shape{batch, 4});
    for (const float value : floats(outputs[0].tensor())) CHECK(value == 0);
  }
}

TEST_CASE("A value that is read again later is not written over") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[3] x) => (float[3] y, float[3] z) {
      a = Abs(x)
      b = Neg(a)
      z = Exp(b)
      y = Add(a, b)
    })");
  const auto outputs = session->run({{"x", Tensor::of<float>(Shape{3}, {-1, 0, 2})}}, {});
  CHECK(floats(outputs[0].tensor()) == std::vector<float>{0, 0, 0});
  CHECK(floats(outputs[1].tensor())[1] == 1);
}

TEST_CASE("Inputs keep their content, also behind views and in-place kernels") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[2,3] x) => (float[6] y) <int64[1] flat = {-1}> {
      v = Reshape(x, flat)
      y = Relu(v)
    })");
  const Tensor x = Tensor::of<float>(Shape{2, 3}, {-1, 2, -3, 4, -5, 6});
  const auto outputs = session->run({{"x", x}}, {});
  CHECK(floats(outputs[0].tensor()) == std::vector<float>{0, 2, 0, 4, 0, 6});
  CHECK(floats(x) == std::vector<float>{-1, 2, -3, 4, -5, 6});
}

TEST_CASE("Graph outputs may be an input, a constant, a view, or one value twice") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[2] x) => (float[2] same, float[2,1] view, float[2] twice, float[2] twice2, int64[1] shape)
    <int64[2] column = {2,1}> {
      same = Identity(x)
      a = Neg(x)
      view = Reshape(a, column)
      twice = Identity(a)
      twice2 = Identity(a)
      shape = Shape(x)
    })");
  const auto outputs = session->run({{"x", Tensor::of<float>(Shape{2}, {1, -2})}}, {});
  CHECK(floats(outputs[0].tensor()) == std::vector<float>{1, -2});
  CHECK(floats(outputs[1].tensor()) == std::vector<float>{-1, 2});
  CHECK(outputs[1].tensor().shape() == Shape{2, 1});
  CHECK(floats(outputs[2].tensor()) == std::vector<float>{-1, 2});
  CHECK(floats(outputs[3].tensor()) == std::vector<float>{-1, 2});
  CHECK(outputs[4].tensor().data<std::int64_t>()[0] == 2);
}

TEST_CASE("Constants that lie unaligned in their file are folded and packed all the same") {
  constexpr std::int64_t size = 48;
  constexpr std::size_t bytes = sizeof(float) * size * size;
  const auto file = std::make_shared<std::vector<std::byte>>(bytes + 1);
  for (std::size_t i = 0; i < size; ++i) {
    const float one = 1;
    std::memcpy(file->data() + 1 + sizeof(float) * (i * size + i), &one, sizeof(one));
  }
  auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,48] x, float[48,48] w) => (float[N,48] y) {
      v = MatMul(w, w)
      a = MatMul(x, v)
      y = MatMul(a, w)
    })");
  ortool::Value& w = *model->graph->find_value("w");
  model->graph->set_constant(w, Tensor::view(ortool::DataType::float32, Shape{size, size},
                                             std::span(*file).subspan(1, bytes), file));
  model->graph->make_default_constant(w);
  Session session(std::move(model), cpu_options());
  const Tensor x = random_tensor(Shape{3, size}, 4);
  CHECK(floats(session.run({{"x", x}}, {})[0].tensor()) == floats(x));
}

TEST_CASE("Weights leave the graph of a session, and memory once every kernel has packed them") {
  constexpr std::int64_t size = 160;
  constexpr std::size_t bytes = sizeof(float) * size * size;
  auto model = parse_model(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N,160] x, float[160,160] w) => (float[N,160] y) {
      p = MatMul(x, w)
      q = Relu(p)
      y = MatMul(q, w)
    })");
  ortool::Graph& graph = *model->graph;
  ortool::Value& w = *graph.find_value("w");
  auto content = std::make_shared<std::vector<std::byte>>(bytes);
  const Tensor numbers = random_tensor(Shape{size, size}, 5);
  std::memcpy(content->data(), numbers.bytes(), bytes);
  graph.set_constant(w,
                     Tensor::view(ortool::DataType::float32, Shape{size, size}, *content, content));
  graph.make_default_constant(w);
  const std::weak_ptr<const void> owner = content;
  content.reset();
  const Tensor x = random_tensor(Shape{2, size}, 6);
  const Session session(std::move(model), cpu_options());
  CHECK(owner.expired());
  const ortool::Value& kept = *session.model().graph->find_value("w");
  CHECK(kept.is_constant());
  CHECK_FALSE(kept.has_content());
  CHECK(session.constant_bytes() == 0);
  CHECK(session.run({{"x", x}}, {})[0].tensor().shape() == Shape{2, size});
}

TEST_CASE("A shape that a graph input holds is planned for by its content") {
  const auto session = make_session(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[N] x, int64[2] shape) => (float[A,B] y) { y = Reshape(x, shape) })");
  const Tensor x = random_tensor(Shape{6}, 2);
  CHECK(session->run({{"x", x}, {"shape", Tensor::of<std::int64_t>(Shape{2}, {2, 3})}}, {})[0]
            .tensor()
            .shape() == Shape{2, 3});
  CHECK(session->run({{"x", x}, {"shape", Tensor::of<std::int64_t>(Shape{2}, {3, -1})}}, {})[0]
            .tensor()
            .shape() == Shape{3, 2});
}

TEST_CASE("Missing, unknown and unfitting inputs are refused by name") {
  const auto session = make_session(session_chain);
  CHECK_THROWS_WITH(session->run({}, {}), "input 'x' (float32[N x 4]) is not given");
  CHECK_THROWS_WITH(session->run({{"q", Tensor::scalar(1.0F)}}, {}), "the model has no input 'q'");
  CHECK_THROWS_WITH(session->run({{"x", random_tensor(Shape{1, 5}, 1)}}, {}),
                    "input 'x' is given as float32[1x5] (expected float32[N x 4])");
}

TEST_CASE("All operators that are missing are reported together") {
  try {
    make_session(R"(
      <ir_version: 8, opset_import: ["" : 17, "my.domain" : 1]>
      g (float[2] x) => (float[2] y) { a = my.domain.First(x) b = Second(a) y = Relu(b) })");
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::unsupported);
    CHECK(error.parts().size() == 2);
    CHECK(error.message().find("Second-17") != std::string::npos);
    CHECK(error.message().find("my.domain.First-1") != std::string::npos);
  }
}

TEST_CASE("Operators missing in subgraphs are reported with the others") {
  try {
    make_session(R"(
      <ir_version: 8, opset_import: ["" : 17]>
      g (bool c, float[2] x) => (float[2] y) {
        y = Fourth <then_branch = a () => (float[2] t) { t = Third(x) }> (c)
      })");
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.parts().size() == 2);
    CHECK(error.message().find("Fourth-17") != std::string::npos);
    CHECK(error.message().find("Third-17") != std::string::npos);
  }
}

TEST_CASE("A stop request ends a run between its nodes") {
  ThreadPool pool(1);
  const auto session = make_session(session_chain, cpu_options(&pool));
  StopToken stop;
  stop.request(ErrorCode::interrupted);
  ortool::RunOptions options;
  options.stop = &stop;
  try {
    session->run({{"x", random_tensor(Shape{2, 4}, 1)}}, options);
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::interrupted);
  }
}

TEST_CASE("A stop request ends the making of a session") {
  StopToken stop;
  stop.request(ErrorCode::terminated);
  ortool::SessionOptions options = cpu_options();
  options.stop = &stop;
  try {
    make_session(session_chain, std::move(options));
    FAIL("no error was thrown");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::terminated);
  }
}

TEST_CASE("The memory cap is checked before the arena is taken, and a smaller run still works") {
  MemoryCap cap(100000);
  const auto session = make_session(session_chain, cpu_options(nullptr, &cap));
  CHECK_THROWS_AS(session->run({{"x", random_tensor(Shape{100000, 4}, 1)}}, {}), Error);
  CHECK_NOTHROW(session->run({{"x", random_tensor(Shape{10, 4}, 1)}}, {}));
}

TEST_CASE("Shape arithmetic runs while planning and leaves no steps behind") {
  Session session(network_model(), cpu_options());
  ortool::Profile profile;
  ortool::RunOptions options;
  options.profile = &profile;
  session.run({{"x", random_tensor(Shape{2, 3, 8, 8}, 3)}}, options);
  std::vector<std::string> names;
  // Whether values are reordered depends on the processor.
  for (const ortool::ProfileEvent& event : profile.events) {
    if (event.op_type != "Reorder") names.emplace_back(event.node);
  }
  CHECK(names == std::vector<std::string>{"Conv_2", "MaxPool_4", "MatMul_8", "Softmax_9"});
}

TEST_CASE("Eight threads with 200 runs each of different batch sizes give the serial bits") {
  const unsigned seed = 7;
  INFO("seed " << seed);
  ThreadPool pool(4);
  Session session(network_model(), cpu_options(&pool));
  std::vector<Tensor> inputs;
  std::vector<Tensor> expected;
  for (std::int64_t batch = 1; batch <= 6; ++batch) {
    inputs.push_back(random_tensor(Shape{batch, 3, 8, 8}, seed + static_cast<unsigned>(batch)));
    expected.push_back(session.run({{"x", inputs.back()}}, {})[0].tensor());
  }
  std::atomic<int> different{0};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t round = 0; round < 200; ++round) {
        const std::size_t which = (thread * 5 + round) % inputs.size();
        ortool::RunOptions options;
        options.threads = static_cast<int>(1 + (thread + round) % 4);
        const auto outputs = session.run({{"x", inputs[which]}}, options);
        if (!same_bits(outputs[0].tensor(), expected[which])) ++different;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(different == 0);
}

namespace {

/// Notes after which steps a value is still in memory.
class LifeMeter : public ortool::ProgressMeter {
 public:
  LifeMeter(const std::weak_ptr<const void>& value, std::vector<bool>& alive)
      : value_(value), alive_(alive) {}
  void tell_done(std::int64_t, std::int64_t) override { alive_.push_back(!value_.expired()); }

 private:
  const std::weak_ptr<const void>& value_;
  std::vector<bool>& alive_;
};

/// Of a run of `text` on a random image, whether the input was in memory after each step.
std::vector<bool> life_of_input(std::string_view text, bool is_given_away) {
  const auto session = make_session(text, cpu_options());
  auto bytes = std::make_shared<const std::vector<std::byte>>(8 * sizeof(float));
  const std::weak_ptr<const void> life = bytes;
  ortool::NamedValues inputs = {
      {"x", Tensor::view(ortool::DataType::float32, Shape{2, 4}, *bytes, bytes)}};
  bytes = nullptr;
  std::vector<bool> alive;
  ortool::Progress progress(
      [&](std::string_view) { return std::make_unique<LifeMeter>(life, alive); }, "running");
  ortool::RunOptions options;
  options.progress = &progress;
  const auto outputs =
      is_given_away ? session->run(std::move(inputs), options) : session->run(inputs, options);
  CHECK(outputs.size() == 1);
  return alive;
}

}  // namespace

TEST_CASE("inputs that the caller gives away are freed once they were read") {
  constexpr std::string_view text =
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,4] x) => (float[2,4] y) "
      "{ a = Softmax (x) b = LpNormalization (a) y = Softmax (b) }";
  CHECK(life_of_input(text, false) == std::vector<bool>{true, true, true});
  CHECK(life_of_input(text, true) == std::vector<bool>{false, false, false});
  // The last step reads it again.
  constexpr std::string_view late =
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2,4] x) => (float[4,4] y) "
      "{ a = Softmax (x) b = LpNormalization (a) y = Concat <axis = 0> (b, x) }";
  CHECK(life_of_input(late, true) == std::vector<bool>{true, true, false});
}
