// Generation operators: captures of their bodies, sessions, inferred shapes, stop requests, the
// memory limit, and bodies that are not as declared.
#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

/// The next token is the one after the last, by a table of the outer graph: 4 follows 3, 0 is the
/// end. `past` is the declared shape of the cache.
std::string counting_model(std::string_view past = "2,b,1,p,1") {
  return R"(<ir_version: 8, opset_import: ["" : 17, "com.microsoft" : 1]>
  g (int32[n,m] ids, int32[1] max) => (int32[n,k] y)
  <float[5,5] table = {0,9,0,0,0, 0,0,9,0,0, 0,0,0,9,0, 0,0,0,0,9, 9,0,0,0,0}>
  {
    scaled = Mul (table, table)
    y = com.microsoft.GreedySearch <eos_token_id = 0, pad_token_id = 0, decoder = d (
        int32[b,s] input_ids, int32[b,s] position_ids, int32[b,t] attention_mask, float[)" +
         std::string(past) + R"(] past_0)
      => (float[b,s,5] logits, float[2,b,1,t,1] present_0)
      <int64[3] axes = {0, 2, 4}>
      {
        logits = Gather (scaled, input_ids)
        f = Cast <to = 1> (input_ids)
        u = Unsqueeze (f, axes)
        pair = Concat <axis = 0> (u, u)
        present_0 = Concat <axis = 3> (past_0, pair)
      }> (ids, max)
  })";
}

NamedValues two_rows(std::int32_t max) {
  return {{"ids", Tensor::of<std::int32_t>(Shape{2, 1}, {1, 2})},
          {"max", Tensor::of<std::int32_t>(Shape{1}, {max})}};
}

std::vector<std::int32_t> tokens(const RunValue& value) {
  const auto data = value.tensor().data<std::int32_t>();
  return {data.begin(), data.end()};
}

}  // namespace

TEST_CASE("A body reads values of the outer graph, and rows end on their own") {
  const auto session = make_session(counting_model());
  const auto outputs = session->run(two_rows(6), {});
  CHECK(outputs.front().tensor().shape() == Shape{2, 6});
  CHECK(tokens(outputs.front()) == std::vector<std::int32_t>{1, 2, 3, 4, 0, 0, 2, 3, 4, 0, 0, 0});
}

TEST_CASE("A generation's results are the same without rewriting and at each run") {
  SessionOptions plain = cpu_options();
  plain.optimize = OptimizeLevel::none;
  const auto session = make_session(counting_model());
  const auto reference = make_session(counting_model(), std::move(plain));
  for (const std::int32_t max : {3, 7, 3}) {
    CHECK(tokens(session->run(two_rows(max), {}).front()) ==
          tokens(reference->run(two_rows(max), {}).front()));
  }
}

TEST_CASE("A stop request ends a generation") {
  const auto session = make_session(counting_model());
  StopToken stop;
  stop.request(ErrorCode::timeout);
  CHECK_THROWS_AS(session->run(two_rows(6), {.stop = &stop}), Error);
}

TEST_CASE("A generation's sequences count against the memory limit") {
  MemoryCap cap(std::int64_t{1} << 20);
  const auto session = make_session(counting_model(), cpu_options(nullptr, &cap));
  CHECK_THROWS_WITH(session->run(two_rows(2'000'000'000), {}),
                    Catch::Contains("of the 1048576 allowed"));
}

TEST_CASE("A body that gets another size than it declares is refused") {
  const auto session = make_session(counting_model("2,1,1,p,1"));
  CHECK_THROWS_WITH(
      session->run(two_rows(6), {}),
      Catch::Contains("input 'past_0' of the body 'decoder' would be float32[2x2x1x0x1]"));
}
