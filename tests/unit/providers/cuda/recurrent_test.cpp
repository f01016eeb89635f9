// Recurrent layers of the cuda provider on an emulated device, beside the cpu provider.
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/tensor/compare.hpp"
#include "tests/cuda_emulation/emulated_session.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;
using test::EmulatedSession;

namespace {

/// A layer over `steps` steps of three sequences of different lengths, in both directions.
struct Layer {
  std::string op_type;
  std::int64_t gates;
  std::int64_t hidden;
  std::string attributes = {};
  std::int64_t steps = 4;

  std::string text() const {
    const std::string x = format("float[{},3,2] x", steps);
    const std::string w = format("float[2,{},2] w", gates * hidden);
    const std::string r = format("float[2,{},{}] r", gates * hidden, hidden);
    const std::string b = format("float[2,{}] b", 2 * gates * hidden);
    const std::string h = format("float[2,3,{}]", hidden);
    return "<ir_version: 9, opset_import: [\"\" : 17]> g (" + x + ", " + w + ", " + r + ", " + b +
           ", int32[3] n, " + h + " h) => (" + format("float[{},2,3,{}] y, ", steps, hidden) + h +
           " yh) { y, yh = " + op_type + format(" <hidden_size = {}", hidden) +
           ", direction = \"bidirectional\"" + (attributes.empty() ? "" : ", ") + attributes +
           "> (x, w, r, b, n, h) }";
  }
  NamedValues inputs() const {
    return {{"x", random_tensor(Shape{steps, 3, 2}, 1)},
            {"w", random_tensor(Shape{2, gates * hidden, 2}, 2)},
            {"r", random_tensor(Shape{2, gates * hidden, hidden}, 3)},
            {"b", random_tensor(Shape{2, 2 * gates * hidden}, 4)},
            {"n", Tensor::of<std::int32_t>(Shape{3}, {static_cast<std::int32_t>(steps), 0, 2})},
            {"h", random_tensor(Shape{2, 3, hidden}, 5)}};
  }
};

void check_layer(const Layer& layer, std::string_view options, double tolerance) {
  INFO(layer.op_type << " of " << layer.hidden << " with " << layer.attributes << ", " << options);
  const auto expected = make_session(layer.text())->run(layer.inputs(), {});
  for (const bool is_backward : {false, true}) {
    const EmulatedSession emulated(layer.text(), {.runs_backward = is_backward}, options);
    CHECK(emulated.providers() == std::vector<std::string>{"cuda"});
    // Launched, captured and replayed.
    for (int run = 0; run < 3; ++run) {
      const auto found = emulated.session->run(layer.inputs(), {});
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const TensorComparison comparison = compare(found[i].tensor(), expected[i].tensor(),
                                                    {.rtol = tolerance, .atol = tolerance});
        INFO(comparison.difference);
        CHECK(comparison.passed);
      }
    }
  }
}

}  // namespace

TEST_CASE(
    "recurrent layers of the cuda provider have the cpu's results in one kernel and in steps") {
  // Odd sizes, whose matrices start anywhere.
  for (const Layer& layer :
       {Layer{"LSTM", 4, 5}, Layer{"LSTM", 4, 5, "input_forget = 1, clip = 0.4"},
        Layer{"GRU", 3, 5}, Layer{"GRU", 3, 5, "linear_before_reset = 1"}, Layer{"RNN", 1, 5},
        Layer{"LSTM", 4, 1}, Layer{"GRU", 3, 33}}) {
    check_layer(layer, "recurrent-kernel=on", 1e-5);
    check_layer(layer, "recurrent-kernel=off", 1e-5);
    check_layer(layer, "precision=float16", 1e-2);
    check_layer(layer, "precision=float16,recurrent-kernel=off", 1e-2);
  }
}

TEST_CASE("recurrent layers too large for one kernel of the cuda provider run step by step") {
  const Layer layer = {"GRU", 3, 257, {}, 2};
  check_layer(layer, {}, 1e-4);
  const EmulatedSession emulated(layer.text());
  emulated.session->run(layer.inputs(), {});
  // The inputs, and two products in each step.
  CHECK(emulated.device->counts().products == 5);
}

TEST_CASE("a small recurrent layer of the cuda provider is one product and one kernel") {
  const Layer layer = {"LSTM", 4, 8, {}, 20};
  const EmulatedSession emulated(layer.text());
  emulated.session->run(layer.inputs(), {});
  CHECK(emulated.device->counts().products == 1);
  // With the transposed matrix of the states.
  CHECK(emulated.device->counts().launches == 2);
}

TEST_CASE("a sequence length out of range is an error of the cuda provider that names the node") {
  const Layer layer = {"LSTM", 4, 3};
  for (const char* options : {"recurrent-kernel=on", "recurrent-kernel=off"}) {
    const EmulatedSession emulated(layer.text(), {}, options);
    NamedValues inputs = layer.inputs();
    inputs[4].second = Tensor::of<std::int32_t>(Shape{3}, {1, 5, -1});
    CHECK_THROWS_WITH(emulated.session->run(inputs, {}),
                      Catch::Contains("LSTM") && Catch::Contains("out of range"));
    CHECK_NOTHROW(emulated.session->run(layer.inputs(), {}));
  }
}
