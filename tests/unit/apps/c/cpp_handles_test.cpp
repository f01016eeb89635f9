// The C++ handles over the C interface: values, errors, callbacks and reports.
#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "apps/c/ortool/ortool.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool::test {
namespace {

class SmallModel {
 public:
  SmallModel() : file_("model.onnx") {
    save_model(*parse_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
                            "g (float[n] x) => (float[n] y, float[n] z)"
                            "{ y = Neg (x) z = Abs (x) }"),
               file_.path());
  }
  const std::string& path() const { return file_.path(); }
  abi::Model load() const { return abi::Model::load(path()); }

 private:
  ScratchFile file_;
};

TEST_CASE("C++ handles run a model in order, by name and into own memory") {
  const SmallModel file;
  const abi::Session session(file.load());
  CHECK(session.inputs()[0].symbols == std::vector<std::string>{"n"});
  CHECK(session.outputs()[1].name == "z");
  std::vector<float> numbers = {1, -2, 3};
  std::vector<abi::Value> inputs;
  inputs.push_back(abi::Value::view(numbers, {3}));
  const std::vector<abi::Value> outputs = session.run(inputs);
  REQUIRE(outputs.size() == 2);
  CHECK(outputs[0].data<float>()[1] == 2);
  CHECK(outputs[0].data<double>() == nullptr);
  CHECK(outputs[1].shape() == abi::Shape{3});

  const std::vector<abi::Value> one = session.run({"x"}, inputs, {"z"});
  CHECK(one[0].data<float>()[1] == 2);

  std::vector<float> memory(8);
  std::vector<abi::Value> targets(2);
  targets[1] = abi::Value::view(memory, {8});
  session.run_into(inputs, targets);
  CHECK(targets[0].count() == 3);
  CHECK(memory[1] == 2);
}

TEST_CASE("C++ handles feed outputs back and hold inputs") {
  const ScratchFile file("model.onnx");
  save_model(*parse_model("<ir_version: 8, opset_import: [\"\" : 18]>\n"
                          "g (float[1] s, float[1] a, float[1] b) => (float[1] t, float[1] c)"
                          "{ p = Mul (s, a) t = Add (p, b) c = Neg (a) }"),
             file.path());
  const abi::Session session(abi::Model::load(file.path()));
  abi::Feedback feedback(session, {{"t", "s"}});
  feedback.hold("a");
  feedback.hold_output("c", "b");
  CHECK_THROWS_AS(feedback.hold("a"), abi::Error);
  std::vector<float> first = {1};
  std::vector<float> a = {3};
  std::vector<float> b = {7};
  std::vector<abi::Value> inputs;
  for (std::vector<float>* each : {&first, &a, &b}) inputs.push_back(abi::Value::view(*each, {1}));
  abi::RunOptions options;
  options.feedback = &feedback;
  CHECK(session.run({"s", "a", "b"}, inputs, {"t"}, options)[0].data<float>()[0] == 10);
  // 10 * 3 - 3, and 27 * 3 - 3.
  CHECK(session.run({}, {}, {"t"}, options)[0].data<float>()[0] == 27);
  CHECK(session.run({}, {}, {"t"}, options)[0].data<float>()[0] == 78);
  CHECK(feedback.fetch("c").data<float>()[0] == -3);
}

TEST_CASE("C++ handles throw the error object's texts") {
  try {
    static_cast<void>(abi::Model::load("no such file.onnx"));
    FAIL("no exception");
  } catch (const abi::Error& error) {
    CHECK(error.status() == ORTOOL_INVALID);
    CHECK_THAT(error.what(), Catch::Contains("no such file"));
    CHECK_FALSE(error.hint().empty());
  }
}

TEST_CASE("C++ handles pass callbacks, profiles and reports") {
  const SmallModel file;
  int steps = 0;
  abi::Task task;
  task.on_progress = [&](const char*, std::int64_t, std::int64_t) { ++steps; };
  const abi::Session session(file.load(), "{\"threads\": 1}", task);
  CHECK(steps > 0);
  std::vector<float> numbers = {1};
  std::vector<abi::Value> inputs;
  inputs.push_back(abi::Value::view(numbers, {1}));
  abi::Profile profile;
  abi::RunOptions options;
  options.profile = &profile;
  static_cast<void>(session.run(inputs, options));
  CHECK_FALSE(profile.events().empty());
  const std::string report = abi::command("inspect", "{\"arguments\": [\"" + file.path() + "\"]}");
  CHECK_THAT(report, Catch::Contains("\"exit_code\": 0"));
  CHECK_THROWS_AS(abi::command("inspect", "{}"), abi::Error);

  const abi::Value texts = abi::Value::strings({"a", "bc"}, {2});
  CHECK(texts.string(1) == "bc");
  const abi::Value sequence = abi::Value::sequence(inputs);
  CHECK(sequence.element(0).count() == 1);
}

}  // namespace
}  // namespace ortool::test
