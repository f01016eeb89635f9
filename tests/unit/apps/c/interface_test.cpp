// The C interface around runs: models and their types, session options, commands and their reports.
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>

#include "libcore/json/json.hpp"
#include "tests/support/c_handles.hpp"

namespace ortool::test {
namespace {

constexpr const char* small_model =
    "<ir_version: 8, opset_import: [\"\" : 18]>\n"
    "g (float[batch, 3] x) => (float[batch, 3] y, float[k, 6] z)"
    "{ a = Identity (x) y = Relu (a) t = Concat <axis = 0> (x, x) i = Concat <axis = 1> (t, t)"
    "  z = Neg (i) }";

struct Report {
  ortool_status status;
  Json document;
};

Report call(const char* command, const std::string& request, ortool_error** error = nullptr) {
  char* text = nullptr;
  const ortool_status status = ortool_command(command, request.c_str(), nullptr, &text, error);
  Report report{status, text != nullptr ? parse_json(text, "report") : Json()};
  ortool_text_free(text);
  return report;
}

TEST_CASE("the C interface tells names, types and symbols of a model and a session") {
  const CHandle<ortool_model> model = c_model(small_model);
  std::size_t count = 0;
  const ortool_value_info* const* inputs = ortool_model_inputs(model.get(), &count);
  REQUIRE(count == 1);
  CHECK(std::string(inputs[0]->name) == "x");
  CHECK(std::string(inputs[0]->type_text) == "float32[batch x 3]");
  CHECK(inputs[0]->kind == ORTOOL_TENSOR);
  CHECK(inputs[0]->type == ORTOOL_FLOAT32);
  REQUIRE(inputs[0]->rank == 2);
  CHECK(inputs[0]->shape[0] == -1);
  CHECK(inputs[0]->shape[1] == 3);
  CHECK(std::string(inputs[0]->symbols[0]) == "batch");
  CHECK(std::string(inputs[0]->symbols[1]).empty());

  const CHandle<ortool_session> session = c_session(small_model, nullptr);
  const ortool_value_info* const* outputs = ortool_session_outputs(session.get(), &count);
  REQUIRE(count == 2);
  CHECK(std::string(outputs[1]->symbols[0]) == "2*batch");

  const CHandle<ortool_session> fixed = c_session(small_model, "{\"dim\": [\"batch=4\"]}");
  CHECK(ortool_session_outputs(fixed.get(), nullptr)[1]->shape[0] == 8);
}

TEST_CASE("the C interface loads models from memory and from descriptors") {
  const ScratchFile file("model.onnx");
  save_model(*parse_model(small_model), file.path());
  ortool_model* model = nullptr;
  SECTION("memory is released once, after the last session") {
    std::ifstream stream(file.path(), std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(stream), {});
    int released = 0;
    const auto release = [](void* context) { ++*static_cast<int*>(context); };
    REQUIRE(ortool_model_load_memory(bytes.data(), bytes.size(), nullptr, release, &released,
                                     &model, nullptr) == ORTOOL_OK);
    ortool_session* session = nullptr;
    REQUIRE(ortool_session_new(model, nullptr, nullptr, &session, nullptr) == ORTOOL_OK);
    ortool_model_free(model);
    ortool_session_free(session);
    CHECK(released == 1);
    CError error;
    CHECK(ortool_model_load_memory(bytes.data(), 20, nullptr, release, &released, &model,
                                   error.out()) == ORTOOL_INVALID);
    CHECK_THAT(error.message(), Catch::StartsWith("model in memory: "));
    CHECK(released == 2);
  }
  SECTION("descriptor") {
    const int descriptor = ::open(file.path().c_str(), O_RDONLY);
    REQUIRE(ortool_model_load_descriptor(descriptor, nullptr, &model, nullptr) == ORTOOL_OK);
    ::close(descriptor);
    CHECK(std::string(ortool_model_inputs(model, nullptr)[0]->name) == "x");
    ortool_model_free(model);
  }
}

TEST_CASE("errors of the C interface name what is wrong and what to do") {
  const CHandle<ortool_model> model = c_model(small_model);
  ortool_session* session = nullptr;
  CError error;
  SECTION("an unknown option, with the nearest") {
    CHECK(ortool_session_new(model.get(), "{\"thread\": 2}", nullptr, &session, error.out()) ==
          ORTOOL_INVALID);
    CHECK_THAT(error.message(), Catch::Contains("option 'thread'"));
    CHECK_THAT(error.hint(), Catch::Contains("threads"));
  }
  SECTION("a value out of range") {
    CHECK(ortool_session_new(model.get(), "{\"threads\": 0}", nullptr, &session, error.out()) ==
          ORTOOL_INVALID);
    CHECK_THAT(error.message(), Catch::Contains("threads"));
  }
  SECTION("no JSON") {
    CHECK(ortool_session_new(model.get(), "threads=2", nullptr, &session, error.out()) ==
          ORTOOL_INVALID);
  }
  SECTION("an unknown provider") {
    CHECK(ortool_session_new(model.get(), "{\"provider\": \"gpu\"}", nullptr, &session,
                             error.out()) == ORTOOL_INVALID);
  }
  SECTION("memory that is too small") {
    float number = 0;
    const std::int64_t shape[] = {2, 2};
    ortool_value* value = nullptr;
    CHECK(ortool_tensor_new(ORTOOL_FLOAT32, shape, 2, &number, sizeof number, &value,
                            error.out()) == ORTOOL_INVALID);
    CHECK(error.message() == "4 bytes are given for float32[2x2], which takes 16");
  }
  CHECK(session == nullptr);
  CHECK_FALSE(error.hint().empty());
}

TEST_CASE("a null error parameter is fine") {
  CHECK(ortool_model_load("no such file.onnx", nullptr, nullptr) == ORTOOL_INVALID);
  ortool_error_free(nullptr);
  ortool_value_free(nullptr);
}

TEST_CASE("commands of the C interface take and give the program's JSON") {
  const ScratchFile input("model.onnx");
  const ScratchFile output("small.onnx");
  save_model(*parse_model(small_model), input.path());
  const std::string arguments = "\"arguments\": [\"" + input.path() + "\"]";

  const Report inspected = call("inspect", "{" + arguments + "}");
  CHECK(inspected.status == ORTOOL_OK);
  CHECK(inspected.document.find("command")->text() == "inspect");
  CHECK(inspected.document.find("exit_code")->number() == 0);
  CHECK(inspected.document.find("model")->find("path")->text() == input.path());

  const Report optimized =
      call("optimize", "{" + arguments + ", \"output\": \"" + output.path() + "\"}");
  CHECK(optimized.status == ORTOOL_OK);
  CHECK(std::ifstream(output.path()).good());

  const Report benched = call("bench", "{" + arguments + ", \"iterations\": 5, \"threads\": 1}");
  CHECK(benched.status == ORTOOL_OK);

  CError error;
  const Report failed =
      call("optimize", "{" + arguments + ", \"opset\": 99, \"output\": \"" + output.path() + "\"}",
           error.out());
  CHECK(failed.status != ORTOOL_OK);
  CHECK(failed.document.find("errors")->items().size() == 1);
  CHECK(failed.document.find("exit_code")->number() == failed.status);

  CError stream_error;
  const Report refused =
      call("optimize", "{" + arguments + ", \"output\": \"-\"}", stream_error.out());
  CHECK(refused.status == ORTOOL_INVALID);
  CHECK(stream_error.id() == "usage.stream");
  CHECK(refused.document.is_null());

  CError name_error;
  CHECK(call("optimise", "{}", name_error.out()).status == ORTOOL_INVALID);
  CHECK_THAT(name_error.message(), Catch::Contains("command 'optimise'"));
}

TEST_CASE("a command of the C interface tells warnings, notes and progress, and can be stopped") {
  const ScratchFile input("model.onnx");
  save_model(*parse_model(small_model), input.path());
  struct Heard {
    int messages = 0;
    int steps = 0;
  } heard;
  ortool_task task = {};
  task.size = sizeof task;
  task.context = &heard;
  task.on_message = [](void* context, ortool_message_kind, const char*) {
    ++static_cast<Heard*>(context)->messages;
  };
  task.on_progress = [](void* context, const char*, std::int64_t, std::int64_t) {
    ++static_cast<Heard*>(context)->steps;
  };
  char* report = nullptr;
  const std::string request = "{\"arguments\": [\"" + input.path() + "\"]}";
  REQUIRE(ortool_command("run", request.c_str(), &task, &report, nullptr) == ORTOOL_OK);
  ortool_text_free(report);
  CHECK(heard.messages > 0);
  CHECK(heard.steps > 0);

  ortool_stop* stop = nullptr;
  REQUIRE(ortool_stop_new(&stop, nullptr) == ORTOOL_OK);
  ortool_stop_request(stop);
  task.stop = stop;
  CHECK(ortool_command("run", request.c_str(), &task, &report, nullptr) == ORTOOL_INTERRUPTED);
  ortool_text_free(report);
  ortool_stop_free(stop);
}

TEST_CASE("sessions of the C interface take custom operators and definitions") {
  const auto program = std::filesystem::canonical("/proc/self/exe").parent_path();
  const std::string library = (program / "../lib/custom_ops/libgood_ops.so").string();
  constexpr const char* calling =
      "<ir_version: 10, opset_import: [\"\" : 18, \"test.ops\" : 1, \"test.c\" : 1]>\n"
      "g (float[n] x) => (float[n] y) { a = test.ops.Doubled (x) y = test.c.Minus (a) }";
  CError error;
  CHECK(ortool_register_operators("no such file.so", error.out()) == ORTOOL_INVALID);
  CHECK(error.message() == "no such file.so: there is no such file");
  CError text_error;
  CHECK(ortool_define_operators("Minus", text_error.out()) == ORTOOL_INVALID);
  REQUIRE(ortool_define_operators("<domain: \"test.c\", opset_import: [\"\" : 18]>"
                                  "Minus (x) => (y) { y = Neg (x) }",
                                  nullptr) == ORTOOL_OK);
  REQUIRE(ortool_register_operators(library.c_str(), nullptr) == ORTOOL_OK);
  const CHandle<ortool_session> session =
      c_session(calling, ("{\"custom-ops\": [\"" + library + "\"]}").c_str());
  float number = 3;
  const CHandle<ortool_value> x = c_tensor(ORTOOL_FLOAT32, {1}, &number, sizeof number);
  const ortool_value* input = x.get();
  ortool_value* output = nullptr;
  REQUIRE(ortool_run(session.get(), nullptr, &input, 1, nullptr, &output, 1, nullptr, nullptr) ==
          ORTOOL_OK);
  CHECK(*static_cast<const float*>(ortool_tensor_data(output)) == -6);
  ortool_value_free(output);
}

}  // namespace
}  // namespace ortool::test
