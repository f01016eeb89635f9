// Decode loop: first values that nothing gives, and decoders whose branches an exporter merged.
#include "libcore/generate/decode_loop.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

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

/// Counts tokens of the past, apart by the branch: a step that took the wrong one shows. What is
/// made of the states is read by later steps, which leave an empty value in its place.
constexpr std::string_view merged_text =
    "<ir_version: 9, opset_import: [\"\": 17]> g (int64[B, S] input_ids, float[B, P, 8] past_0, "
    "float[B, E, 8] past_encoder_0, float[B, 2, 8] states, bool[1] use_cache_branch) "
    "=> (float[B, S2, 8] logits, float[B, Q, 8] present_0, float[B, F, 8] present_encoder_0) "
    "<int64 depth = {8}, float[2] levels = {0, 1}, float[0, 2, 8] none = {}, float[8, 8] w = {"
    "0, 1, 0, 0, 0, 0, 0, 0,  0, 0, 3, 0, 0, 0, 0, 0,  0, 0, 0, 5, 0, 0, 0, 0,  0, 0, 0, 0, 7, 0, "
    "0, 0,"
    "0, 0, 0, 0, 0, 9, 0, 0,  0, 0, 0, 0, 0, 0, 11, 0,  0, 0, 0, 0, 0, 0, 0, 13,  15, 0, 0, 0, 0, "
    "0, 0, 0}> {"
    "logits, present_0, present_encoder_0 = If (use_cache_branch) <"
    "then_branch = later () => (float[B, S3, 8] l1, float[B, Q1, 8] k1, float[B, F1, 8] c1) {"
    "  o1 = OneHot (input_ids, depth, levels)  k1 = Concat <axis = 1> (past_0, o1)"
    "  n1 = ReduceMax <axes = [1]> (k1)  m1 = MatMul (n1, w)"
    "  e1 = ReduceMax <axes = [1]> (past_encoder_0)  l1 = Add (m1, e1)  c1 = Identity (none) },"
    "else_branch = first () => (float[B, S4, 8] l2, float[B, Q2, 8] k2, float[B, F2, 8] c2) {"
    "  k2 = OneHot (input_ids, depth, levels)  n2 = ReduceMax <axes = [1]> (k2)  m2 = MatMul (n2, "
    "w)"
    "  c2 = Neg (states)  e2 = ReduceMax <axes = [1]> (c2)  l2 = Add (m2, e2) }> }";

TEST_CASE("merged decoders read caches from the second step on", "[feedback]") {
  const auto model = inferred_model(merged_text);
  const auto session = make_session(merged_text);
  MemoryCap memory;
  StopToken stop;
  const TaskContext task{memory, stop};
  const std::vector<Feedback> feedback = usual_feedback(*model, task);
  const Tensor states = random_tensor(Shape{1, 2, 8}, 5);
  std::vector<GivenInput> inputs;
  inputs.push_back({"input_ids", RunValue(integers_of({0}).reshaped(Shape{1, 1})), "test"});
  inputs.push_back({"states", RunValue(states), "test"});
  add_empty_inputs(task, *model, feedback, inputs);
  NamedValues given;
  for (const GivenInput& input : inputs) given.emplace_back(input.name, input.value);
  REQUIRE(given.size() == 5);
  const LoopResult result = run_loop(task, *session, {}, feedback, given, 5);
  REQUIRE(result.tokens.size() == 1);
  CHECK(result.tokens[0].rows[0] == std::vector<std::int64_t>{1, 2, 3, 4, 5});
  CHECK(result.outputs[1].tensor().shape() == Shape{1, 5, 8});
  // Of the first step.
  CHECK(result.outputs[2].tensor().shape() == Shape{1, 2, 8});
}

}  // namespace
}  // namespace ortool
