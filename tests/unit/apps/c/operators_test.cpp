// Operators of the program itself through the C interface: contexts, attributes, and how long they
// live.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "providers/cpu/custom/ortool/custom_ops.h"
#include "tests/support/c_handles.hpp"

namespace ortool::test {
namespace {

constexpr const char* domain = "test.program";

int like_input(ortool_call* call) {
  const ortool_operand& x = *call->inputs[0];
  return call->api->set_output(call, 0, x.type, x.rank, x.shape, x.symbols, nullptr);
}

/// x + the number that the context points to.
int add_context(ortool_call* call) {
  const float amount = *static_cast<const float*>(call->context);
  const auto* x = static_cast<const float*>(call->inputs[0]->data);
  auto* y = static_cast<float*>(call->outputs[0]->data);
  for (std::int64_t i = 0; i < call->inputs[0]->count; ++i) y[i] = x[i] + amount;
  return 0;
}

/// "name:kind:count" of all attributes, as the message of an error.
int tell_attributes(ortool_call* call) {
  std::string text;
  ortool_attribute found = {};
  for (std::size_t i = 0; call->api->attribute(call, i, &found) != 0; ++i) {
    text += std::string(found.name) + ":" + std::to_string(found.kind) + ":" +
            std::to_string(found.count);
    if (found.kind == 4) {
      text += ":" + std::to_string(found.type) + "[" + std::to_string(found.shape[0]) + "]" +
              std::to_string(static_cast<int>(static_cast<const float*>(found.data)[1]));
    }
    if (found.kind == 8) text += std::string(":") + static_cast<const char* const*>(found.data)[1];
    text += " ";
  }
  return call->api->fail(call, text.c_str());
}

struct Context {
  float amount;
  int* released;
};

void release(void* context) {
  auto* own = static_cast<Context*>(context);
  ++*own->released;
  delete own;
}

ortool_operator define(const char* name, int (*run)(ortool_call*)) {
  ortool_operator op = {};
  op.size = sizeof op;
  op.name = name;
  op.domain = domain;
  op.since_version = 1;
  op.min_inputs = op.max_inputs = op.min_outputs = op.max_outputs = 1;
  op.infer = like_input;
  op.run = run;
  return op;
}

ortool_status add(const ortool_operator& op, CError& error) {
  const ortool_operator* list[] = {&op};
  const ortool_operators all = {ORTOOL_OPERATORS_VERSION, 1, list};
  return ortool_add_operators(&all, "the tests", error.out());
}

/// Adds an operator that adds `amount`, and counts its releases.
void add_offset(float amount, int& released) {
  ortool_operator op = define("Offset", add_context);
  op.context = new Context{amount, &released};
  op.release_context = release;
  CError error;
  add(op, error);
  INFO(error.message());
  REQUIRE(error.message().empty());
}

constexpr const char* offset_model =
    "<ir_version: 8, opset_import: [\"\" : 18, \"test.program\" : 1]>\n"
    "g (float[n] x) => (float[n] y) { y = test.program.Offset (x) }";

float run_once(const ortool_session* session, std::int64_t count) {
  std::vector<float> x(static_cast<std::size_t>(count), 1);
  const CHandle<ortool_value> input =
      c_tensor(ORTOOL_FLOAT32, {count}, x.data(), x.size() * sizeof(float));
  const ortool_value* inputs[] = {input.get()};
  ortool_value* output = nullptr;
  CError error;
  ortool_run(session, nullptr, inputs, 1, nullptr, &output, 1, nullptr, error.out());
  INFO(error.message());
  REQUIRE(output != nullptr);
  const CHandle<ortool_value> held(output);
  return static_cast<const float*>(ortool_tensor_data(output))[0];
}

TEST_CASE("operators of the program have contexts, which the last session releases") {
  int released = 0;
  add_offset(2, released);
  CHandle<ortool_session> session = c_session(offset_model, "{\"threads\": 1}");
  CHECK(run_once(session.get(), 3) == 3);
  REQUIRE(ortool_remove_operator(domain, "Offset", nullptr) == ORTOOL_OK);
  CHECK(released == 0);
  // New shapes still have a shape rule.
  CHECK(run_once(session.get(), 5) == 3);
  session.reset();
  CHECK(released == 1);

  const CHandle<ortool_model> model = c_model(offset_model);
  ortool_session* none = nullptr;
  CError error;
  CHECK(ortool_session_new(model.get(), nullptr, nullptr, &none, error.out()) ==
        ORTOOL_UNSUPPORTED);
  CHECK_THAT(error.message(), Catch::Contains("Offset"));
}

TEST_CASE("an operator of the program that was removed makes way for another") {
  int first = 0;
  int second = 0;
  add_offset(1, first);
  const CHandle<ortool_session> old = c_session(offset_model, nullptr);
  REQUIRE(ortool_remove_operator(domain, "Offset", nullptr) == ORTOOL_OK);
  add_offset(10, second);
  const CHandle<ortool_session> newer = c_session(offset_model, nullptr);
  CHECK(run_once(old.get(), 2) == 2);
  CHECK(run_once(newer.get(), 2) == 11);
  CHECK(run_once(old.get(), 7) == 2);
  REQUIRE(ortool_remove_operator(domain, "Offset", nullptr) == ORTOOL_OK);
  CHECK(first == 0);
  CHECK(second == 0);
}

TEST_CASE("operators of the program that are wrong are refused, and their contexts released") {
  int released = 0;
  ortool_operator op = define("Offset", nullptr);
  op.context = new Context{1, &released};
  op.release_context = release;
  CError no_run;
  CHECK(add(op, no_run) == ORTOOL_INVALID);
  CHECK(no_run.message() == "the tests: operator Offset has no run()");
  CHECK(released == 1);

  CError unknown;
  CHECK(ortool_remove_operator(domain, "Offset", unknown.out()) == ORTOOL_INVALID);
  CHECK_THAT(unknown.message(), Catch::Contains("there is no operator test.program.Offset"));
  CError empty;
  const ortool_operators none = {ORTOOL_OPERATORS_VERSION, 0, nullptr};
  CHECK(ortool_add_operators(&none, "the tests", empty.out()) == ORTOOL_INVALID);
  CHECK(empty.message() == "the tests: there are no operators");

  add_offset(1, released);
  op = define("Offset", add_context);
  CError twice;
  CHECK(add(op, twice) == ORTOOL_INVALID);
  CHECK_THAT(twice.message(), Catch::Contains("test.program.Offset is in the catalog already"));
  REQUIRE(ortool_remove_operator(domain, "Offset", nullptr) == ORTOOL_OK);
  CHECK(released == 2);
}

TEST_CASE("structs of the first header, without contexts, are taken") {
  ortool_operator op = define("Plain", [](ortool_call* call) {
    return call->api->fail(call, call->context == nullptr ? "no context" : "a context");
  });
  op.size = offsetof(ortool_operator, context);
  op.context = &op;
  CError error;
  REQUIRE(add(op, error) == ORTOOL_OK);
  const CHandle<ortool_session> session = c_session(
      "<ir_version: 8, opset_import: [\"\" : 18, \"test.program\" : 1]>\n"
      "g (float[n] x) => (float[n] y) { y = test.program.Plain (x) }",
      nullptr);
  float x = 1;
  const CHandle<ortool_value> input = c_tensor(ORTOOL_FLOAT32, {1}, &x, sizeof x);
  const ortool_value* inputs[] = {input.get()};
  ortool_value* output = nullptr;
  CError failure;
  CHECK(ortool_run(session.get(), nullptr, inputs, 1, nullptr, &output, 1, nullptr,
                   failure.out()) == ORTOOL_INVALID);
  CHECK_THAT(failure.message(), Catch::Contains("no context (custom operator of the tests)"));
  REQUIRE(ortool_remove_operator(domain, "Plain", nullptr) == ORTOOL_OK);
}

TEST_CASE("operators are given attributes of every kind") {
  CError error;
  REQUIRE(add(define("Tell", tell_attributes), error) == ORTOOL_OK);
  const CHandle<ortool_session> session = c_session(
      "<ir_version: 8, opset_import: [\"\" : 18, \"test.program\" : 1]>\n"
      "g (float[n] x) => (float[n] y) { y = test.program.Tell <f = 0.5, i = 4, s = \"abc\","
      " t = float[2] {1, 2}, fs = [1.0, 2.0], is = [1, 2, 3], ss = [\"a\", \"bc\"]> (x) }",
      nullptr);
  float x = 1;
  const CHandle<ortool_value> input = c_tensor(ORTOOL_FLOAT32, {1}, &x, sizeof x);
  const ortool_value* inputs[] = {input.get()};
  ortool_value* output = nullptr;
  CError failure;
  CHECK(ortool_run(session.get(), nullptr, inputs, 1, nullptr, &output, 1, nullptr,
                   failure.out()) == ORTOOL_INVALID);
  CHECK_THAT(failure.message(),
             Catch::Contains("f:1:1 i:2:1 s:3:3 t:4:2:1[2]2 fs:6:2 is:7:3 ss:8:2:bc"));
  REQUIRE(ortool_remove_operator(domain, "Tell", nullptr) == ORTOOL_OK);
}

}  // namespace
}  // namespace ortool::test
