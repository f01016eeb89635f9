// Custom operators of libraries: what they compute in sessions, and how wrong ones are refused.
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/runtime/session.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/custom/dimension_text.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

std::string library_path(const std::string& name) {
  const auto program = std::filesystem::canonical("/proc/self/exe").parent_path();
  return (program / "../lib/custom_ops" / ("lib" + name + ".so")).lexically_normal().string();
}

std::unique_ptr<Model> custom_model(const std::string& graph, int version = 1) {
  load_custom_ops(library_path("good_ops"));
  return parse_model("<ir_version: 10, opset_import: [\"\" : 18, \"test.ops\" : " +
                     std::to_string(version) + "]>\n" + graph);
}

std::unique_ptr<Session> custom_session(const std::string& graph, int version = 1,
                                        ThreadPool* pool = nullptr) {
  std::unique_ptr<Model> model = custom_model(graph, version);
  SessionOptions options;
  options.providers = default_providers();
  options.pool = pool;
  return std::make_unique<Session>(std::move(model), options);
}

Tensor row_of(std::vector<float> numbers) {
  return Tensor::of<float>(Shape{static_cast<std::int64_t>(numbers.size())},
                           std::span<const float>(numbers));
}

std::vector<float> result_of(const Session& session, const NamedValues& inputs,
                             const RunOptions& options = {}) {
  const std::vector<RunValue> outputs = session.run(inputs, options);
  const auto numbers = outputs.front().tensor().data<float>();
  return {numbers.begin(), numbers.end()};
}

std::vector<float> computed(const std::string& graph, const NamedValues& inputs, int version = 1) {
  return result_of(*custom_session(graph, version), inputs);
}

/// The message of the error that `body` throws.
template <typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    CHECK_FALSE(error.hint().empty());
    return error.what();
  }
  return "no error";
}

std::string run_message(const std::string& op) {
  return message_of([&] {
    static_cast<void>(
        computed("g (float[n] x) => (float[m] y) { [it] y = test.ops." + op + " (x) }",
                 {{"x", row_of({1, 2})}}));
  });
}

using Numbers = std::vector<float>;

TEST_CASE("custom operators take several types, attributes, variadic and omitted inputs") {
  CHECK(computed("g (float[n] x) => (float[n] y) { y = test.ops.Offset <amount = 5> (x) }",
                 {{"x", row_of({1, 2})}}) == Numbers{6, 7});
  const auto session =
      custom_session("g (int64[n] x) => (int64[n] y) { y = test.ops.Offset <amount = 5> (x) }");
  const auto integers =
      session->run({{"x", Tensor::of<std::int64_t>(Shape{2}, {1, 2})}}, {}).front();
  CHECK(integers.tensor().data<std::int64_t>()[1] == 7);
  CHECK(computed("g (float[n] a, float[n] b, float[n] c) => (float[n] y)"
                 "{ y = test.ops.SumAll (a, , b, c) }",
                 {{"a", row_of({1})}, {"b", row_of({2})}, {"c", row_of({4})}}) == Numbers{7});
}

TEST_CASE("custom operators overwrite an input only where nobody reads it afterwards") {
  CHECK(computed("g (float[n] x) => (float[n] y) {"
                 " a = Neg (x) b = test.ops.Offset (a) y = Mul (a, b) }",
                 {{"x", row_of({3})}}) == Numbers{6});
}

TEST_CASE("custom operators compute strings, and shapes that depend on data") {
  const auto shout = custom_session("g (string[n] x) => (string[n] y) { y = test.ops.Shout (x) }");
  const auto loud = shout->run({{"x", Tensor::of_strings(Shape{2}, {"hey", ""})}}, {}).front();
  CHECK(loud.tensor().strings()[0] == "hey!");
  CHECK(loud.tensor().strings()[1] == "!");
  CHECK(computed("g (float[n] x) => (float[m] y) { p = test.ops.Positive (x) y = Neg (p) }",
                 {{"x", row_of({-1, 2, 3})}}) == Numbers{-2, -3});
  CHECK(computed("g (int64[1] n) => (float[m] y) { o = test.ops.Ones (n) y = Neg (o) }",
                 {{"n", Tensor::of<std::int64_t>(Shape{1}, {2})}}) == Numbers{-1, -1});
}

TEST_CASE("shape rules of custom operators give formulas over symbols") {
  const auto model = custom_model(
      "g (float[n] x) => (float[m] y) { a = test.ops.Twice (x) y = test.ops.Twice (a) }");
  infer_shapes(*model);
  CHECK(model->outputs()[0]->type().to_string() == "float32[4*n]");
  CHECK(computed("g (float[n] x) => (float[m] y) { y = test.ops.Twice (x) }",
                 {{"x", row_of({1, 2})}}) == Numbers{1, 2, 1, 2});
  const SymbolMap symbols = {{"n", Dimension::symbol("n")}};
  CHECK(cpu::parse_dimension("(n + 3) / 2 - 1", symbols).to_string() ==
        (floor_divide(Dimension::symbol("n") + 3, 2) - 1).to_string());
  for (const char* text : {"", "?", "2*", "(n", "n)", "n n", "12345678901234567890"})
    CHECK(cpu::parse_dimension(text, symbols).is_unknown());
}

TEST_CASE("custom operators have states, aligned memory and the threads of the session") {
  // The second slice begins in the middle of a line of the cache.
  CHECK(computed("g (float[4] x) => (float[3] y) <int64[1] one = {1}, int64[1] four = {4}>"
                 "{ s = Slice (x, one, four) y = test.ops.Counted (s) }",
                 {{"x", row_of({1, 2, 3, 4})}}) == Numbers{6, 9, 12});
  ThreadPool pool(3);
  RunOptions options;
  options.threads = 3;
  const auto session =
      custom_session("g (float[n] x) => (float[n] y) { y = test.ops.Doubled (x) }", 1, &pool);
  CHECK(result_of(*session, {{"x", row_of(Numbers(100, 4))}}, options) == Numbers(100, 8));
}

TEST_CASE("custom operators have versions") {
  const char* graph = "g (float[n] x) => (float[n] y) { y = test.ops.Plus (x) }";
  CHECK(computed(graph, {{"x", row_of({1})}}, 2) == Numbers{2});
  CHECK(computed(graph, {{"x", row_of({1})}}, 3) == Numbers{4});
  CHECK_THAT(message_of([] {
               static_cast<void>(
                   computed("g (float[n] x) => (float[n] y) { y = test.ops.Later (x) }", {}));
             }),
             Catch::Contains("has this operator from version 2 of the domain on"));
}

TEST_CASE("custom operators run in bodies of If and Loop, and eight threads at once") {
  CHECK(computed("g (float[n] x, bool c) => (float[n] y) { y = If (c) <"
                 "then_branch = t () => (float[n] a) { a = test.ops.Offset (x) },"
                 "else_branch = e () => (float[n] b) { b = test.ops.Doubled (x) }> }",
                 {{"x", row_of({3})}, {"c", Tensor::scalar<bool>(false)}}) == Numbers{6});
  const auto session = custom_session(
      "g (float[n] x, int64 k) => (float[n] y) { yes = Constant <value = bool {1}> ()"
      " y = Loop (k, yes, x) <body = l (int64 i, bool c, float[n] a) => (bool d, float[n] r)"
      " { d = Identity (c) r = test.ops.Counted (a) }> }");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&session, &wrong] {
      for (int i = 0; i < 50; ++i) {
        const Numbers found =
            result_of(*session, {{"x", row_of({1, 2})}, {"k", Tensor::scalar<std::int64_t>(3)}});
        if (found != Numbers{8, 16}) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

TEST_CASE("constants that custom operators compute are folded") {
  const auto model = custom_model(
      "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}>"
      "{ s = test.ops.Offset (w) y = Add (x, s) }");
  infer_shapes(*model);
  const auto session = custom_session(
      "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}>"
      "{ s = test.ops.Offset (w) y = Add (x, s) }");
  CHECK(session->placement().size() == 1);
  CHECK(result_of(*session, {{"x", row_of({1, 1})}}) == Numbers{3, 4});
}

TEST_CASE("custom operators that fail give one error that names the node and the library") {
  CHECK_THAT(run_message("Failing"), Catch::Contains("node 'it' (Failing): the moon is full "
                                                     "(custom operator of ") &&
                                         Catch::Contains("libgood_ops.so"));
  CHECK_THAT(run_message("Throwing"), Catch::Contains("run() threw an exception: out of cheese"));
  CHECK_THAT(run_message("Silent"), Catch::Contains("run() returned 42 without a message"));
  CHECK_THAT(run_message("WrongShape"),
             Catch::Contains("output 0 is made as float32[4], but infer() said float32[3]"));
  CHECK_THAT(run_message("Unset"), Catch::Contains("output 0 was not set"));
  CHECK_THAT(run_message("Twice"), Catch::Equals("no error"));
  CHECK_THAT(message_of([] {
               static_cast<void>(
                   computed("g (double[n] x) => (double[n] y) { y = test.ops.Offset (x) }", {}));
             }),
             Catch::Contains("input 0 is float64, its library takes float32, int64"));
  CHECK_THAT(message_of([] {
               static_cast<void>(
                   computed("g (float[n] x) => (float[n] y) { y = test.ops.Offset (x, x) }", {}));
             }),
             Catch::Contains("has 2 inputs, its library expects 1"));
}

TEST_CASE("wrong libraries of custom operators are refused in one line and register nothing") {
  const auto refusal = [](int fault) {
    return message_of([&] { load_custom_ops(library_path("bad_ops_" + std::to_string(fault))); });
  };
  CHECK_THAT(refusal(1), Catch::Contains("was built for version 7 of the interface"));
  CHECK_THAT(refusal(2), Catch::Contains("ortool_get_operators() returned no operators"));
  CHECK_THAT(refusal(3), Catch::Contains("operator Wrong has no run()"));
  CHECK_THAT(refusal(4), Catch::Contains("operator Wrong has no domain of its own"));
  CHECK_THAT(refusal(5), Catch::Contains("operator test.wrong.Wrong has version 1 twice"));
  CHECK_THAT(refusal(6), Catch::Contains("ortool_get_operators() threw an exception"));
  CHECK_THAT(refusal(7), Catch::Contains("operator com.microsoft.Gelu is in the catalog already"));
  CHECK_THAT(refusal(8), Catch::Contains("does not export ortool_get_operators()"));
  CHECK_THAT(refusal(9), Catch::Contains("an operator has no size"));
  CHECK_THAT(message_of([] { load_custom_ops("no_such_library.so"); }),
             Catch::Equals("no_such_library.so: there is no such file"));
  CHECK_THAT(message_of([] { load_custom_ops("/proc/self/exe"); }),
             Catch::StartsWith("/proc/self/exe: "));
  CHECK(find_op("test.wrong", "Wrong") == nullptr);
  load_custom_ops(library_path("good_ops"));
  CHECK_NOTHROW(load_custom_ops(library_path("good_ops")));
}

}  // namespace
}  // namespace ortool
