// First values of a decode loop: the sizes of caches that nothing gives.
#include "libcore/generate/decode_loop.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

TEST_CASE("caches start empty, those of a window with its rows", "[feedback]") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 21, \"com.microsoft\": 1]> g (float[B, S, 8] x, "
      "float[B, 1, P, 8] past_0, float[B, 1, W, 8] past_1, int32[B] n, int32 t) => (y, z, "
      "present_0, present_1) {"
      "y, present_0 = com.microsoft.GroupQueryAttention <num_heads = 1, kv_num_heads = 1> "
      "(x, x, x, past_0, past_0, n, t) "
      "z, present_1 = com.microsoft.GroupQueryAttention <num_heads = 1, kv_num_heads = 1, "
      "local_window_size = 4, sliding_window_cache = 1> (x, x, x, past_1, past_1, n, t) }");
  std::vector<GivenInput> inputs;
  inputs.push_back({"x", RunValue(Tensor(DataType::float32, Shape{2, 3, 8})), "test"});
  const std::vector<Feedback> feedback = {{Feedback::Kind::output, "past_0", "present_0", 0},
                                          {Feedback::Kind::output, "past_1", "present_1", 0}};
  MemoryCap memory;
  StopToken stop;
  add_empty_inputs({memory, stop}, *model, feedback, inputs);
  REQUIRE(inputs.size() == 3);
  CHECK(inputs[1].value.tensor().shape() == Shape{2, 1, 0, 8});
  CHECK(inputs[2].value.tensor().shape() == Shape{2, 1, 4, 8});
}

}  // namespace
}  // namespace ortool
