// Calibration samples by callback through the C interface, and outputs apart from inputs.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "apps/c/ortool/ortool.hpp"
#include "libcore/io/npy.hpp"
#include "libcore/json/json.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/c_handles.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool::test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A small model with a product, and where its int8 form goes.
struct SampleFiles {
  SampleFiles() {
    save_model(*parse_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
                            "g (float[1, 4] x) => (float[1, 2] y)"
                            "<float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> { y = MatMul (x, w) }"),
               model.path());
  }
  std::string request(const std::string& more = "") const {
    return "{\"arguments\": [\"" + model.path() + "\"], \"output\": \"" + output.path() + "\"" +
           more + "}";
  }
  ScratchFile model{"model.onnx"};
  ScratchFile output{"int8.onnx"};
};

/// Gives `count` samples from the same memory, which changes with each.
abi::Task samples_task(std::vector<float>& memory, int count, int& given) {
  abi::Task task;
  task.next_sample = [&memory, count, &given](abi::Sample& sample) {
    if (given == count) return false;
    for (float& number : memory) number = static_cast<float>(given % 5) - number / 3;
    sample.add("x", abi::Value::view(memory, {1, 4}));
    ++given;
    return true;
  };
  return task;
}

TEST_CASE("quantize takes samples from a function of the caller") {
  const SampleFiles files;
  std::vector<float> memory = {1, -2, 3, -4};
  int given = 0;
  const std::string report =
      abi::command("quantize", files.request(), samples_task(memory, 6, given));
  CHECK(given == 6);
  CHECK_THAT(report, Catch::Contains("\"exit_code\": 0"));
  const std::string first = contents(files.output.path());
  CHECK_FALSE(first.empty());

  // The same samples in files.
  memory = {1, -2, 3, -4};
  std::string list;
  std::vector<std::unique_ptr<ScratchFile>> arrays;
  for (int i = 0; i < 6; ++i) {
    for (float& number : memory) number = static_cast<float>(i % 5) - number / 3;
    arrays.push_back(std::make_unique<ScratchFile>("x.npy"));
    save_npy(arrays.back()->path(), Tensor::of<float>(Shape{1, 4}, std::span<const float>(memory)));
    list += (list.empty() ? R"({"inputs": {"x": ")" : R"(, {"inputs": {"x": ")") +
            arrays.back()->path() + "\"}}";
  }
  const ScratchFile manifest("manifest.json");
  manifest.write("{\"samples\": [" + list + "]}");
  abi::command("quantize", files.request(", \"calibration-data\": \"" + manifest.path() + "\""));
  CHECK(contents(files.output.path()) == first);
}

TEST_CASE("no more samples are asked for than are needed") {
  const SampleFiles files;
  std::vector<float> memory = {1, -2, 3, -4};
  int given = 0;
  abi::command("quantize", files.request(", \"samples\": \"3\""), samples_task(memory, 100, given));
  CHECK(given == 3);
}

TEST_CASE("wrong samples end the command with one error") {
  const SampleFiles files;
  std::vector<float> memory(4, 1);
  const auto message = [&](const char* command, const std::string& more,
                           std::function<bool(abi::Sample&)> next) {
    abi::Task task;
    task.next_sample = std::move(next);
    try {
      abi::command(command, files.request(more), task);
    } catch (const abi::Error& error) {
      CHECK_FALSE(error.hint().empty());
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const auto value = [&] { return abi::Value::view(memory, {1, 4}); };
  CHECK_THAT(message("quantize", "", [](abi::Sample&) { return false; }),
             Catch::Contains("samples of the program: there are no samples"));
  int count = 0;
  const auto once = [&count] { return count++ < 1; };
  CHECK_THAT(message("quantize", "",
                     [&](abi::Sample& sample) {
                       sample.add("z", value());
                       return once();
                     }),
             Catch::Contains("sample 0: ") && Catch::Contains("'z'"));
  CHECK_THAT(message("quantize", "",
                     [&](abi::Sample& sample) {
                       sample.add("x", value());
                       sample.add("x", value());
                       return true;
                     }),
             Catch::Contains("sample 0 is given input 'x' twice"));
  CHECK_THAT(message("optimize", "", [](abi::Sample&) { return false; }),
             Catch::Contains("optimize takes no samples"));
  CHECK_THAT(message("quantize", ", \"calibration-data\": \"" + files.model.path() + "\"",
                     [](abi::Sample&) { return false; }),
             Catch::Contains("contradict each other"));

  ortool_task task = {};
  task.size = sizeof task;
  task.next_sample = [](void*, ortool_sample*) -> std::int32_t { return -5; };
  char* report = nullptr;
  CError error;
  CHECK(ortool_command("quantize", files.request().c_str(), &task, &report, error.out()) ==
        ORTOOL_INTERRUPTED);
  ortool_text_free(report);
  CHECK(error.message() == "next_sample() returned -5 for sample 0");
  CHECK_FALSE(std::filesystem::exists(files.output.path()));
}

TEST_CASE("outputs never lie in the memory of inputs") {
  const CHandle<ortool_session> session = c_session(
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (float[n] x) => (float[n] y, float[1, n] r, seq(float[n]) s)"
      "<int64[1] zero = {0}> { y = Identity (x) r = Unsqueeze (x, zero) s = SequenceConstruct (x) "
      "}",
      nullptr);
  std::vector<float> x = {1, 2, 3};
  const CHandle<ortool_value> input = c_tensor(ORTOOL_FLOAT32, {3}, x.data(), 12);
  const ortool_value* inputs[] = {input.get()};
  ortool_value* outputs[3] = {};
  CError error;
  ortool_run(session.get(), nullptr, inputs, 1, nullptr, outputs, 3, nullptr, error.out());
  INFO(error.message());
  REQUIRE(outputs[2] != nullptr);
  const CHandle<ortool_value> y(outputs[0]);
  const CHandle<ortool_value> r(outputs[1]);
  const CHandle<ortool_value> s(outputs[2]);
  ortool_value* element = nullptr;
  REQUIRE(ortool_value_element(s.get(), 0, &element, nullptr) == ORTOOL_OK);
  const CHandle<ortool_value> first(element);
  x = {7, 8, 9};
  for (const ortool_value* value : {y.get(), r.get(), first.get()}) {
    const auto* numbers = static_cast<const float*>(ortool_tensor_data(value));
    CHECK(std::vector<float>(numbers, numbers + 3) == std::vector<float>{1, 2, 3});
  }
}

TEST_CASE("a profile is written as the trace of the command, and outlives its session") {
  ortool_profile* made = nullptr;
  REQUIRE(ortool_profile_new(&made, nullptr) == ORTOOL_OK);
  char* text = nullptr;
  CError none;
  CHECK(ortool_profile_trace(made, &text, none.out()) == ORTOOL_INVALID);
  CHECK(none.message() == "no run has filled the profile");
  {
    const CHandle<ortool_session> session = c_session(
        "<ir_version: 8, opset_import: [\"\" : 18]>\n"
        "g (float[n] x) => (float[n] y) { [it] y = Exp (x) }",
        nullptr);
    float x = 1;
    const CHandle<ortool_value> input = c_tensor(ORTOOL_FLOAT32, {1}, &x, sizeof x);
    const ortool_value* inputs[] = {input.get()};
    ortool_value* output = nullptr;
    ortool_run_options options = {};
    options.size = sizeof options;
    options.profile = made;
    REQUIRE(ortool_run(session.get(), nullptr, inputs, 1, nullptr, &output, 1, &options, nullptr) ==
            ORTOOL_OK);
    ortool_value_free(output);
  }
  REQUIRE(ortool_profile_trace(made, &text, nullptr) == ORTOOL_OK);
  const Json events = parse_json(text, "trace");
  ortool_text_free(text);
  ortool_profile_free(made);
  REQUIRE(events.items().size() == 4);
  CHECK(events.items()[3].find("name")->text() == "it_kernel_time");
}

}  // namespace
}  // namespace ortool::test
