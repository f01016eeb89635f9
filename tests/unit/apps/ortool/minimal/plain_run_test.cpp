// The run of minimal builds reports what the usual one does.
#include "apps/ortool/minimal/plain_run.hpp"

#include <filesystem>

#include <catch2/catch.hpp>

#include "apps/ortool/run/model_run.hpp"
#include "libcore/base/error.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/text/parse.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool {
namespace {

constexpr const char* two_outputs =
    "<ir_version: 8, opset_import: [\"\" : 18]>\n"
    "g (float[n, 4] x, float[4] w) => (float[n, 4] y, float[n, 4] z)"
    "{ [a] y = Mul (x, w) [b] z = Softmax (y) }";

struct Outcome {
  std::string text;
  std::string inputs;
  std::string outputs;
  std::string comparison;
};

/// One call of the command on the model.
class Call {
 public:
  Call() : input_("model.onnx") {
    save_model(*parse_model(two_outputs), input_.path());
    arguments_ = {input_.path()};
    messages_.set_level(Verbosity::error);
    options_.set("threads", {"1"});
  }

  void set(std::string_view name, std::string value) { options_.set(name, {std::move(value)}); }
  std::string file(const char* name) const {
    return (std::filesystem::path(input_.path()).parent_path() / name).string();
  }

  Outcome run(void (*command)(Invocation&)) {
    Report report;
    Invocation invocation{options_, arguments_, commands_, report, messages_,
                          stop_,    memory_,    true,      {}};
    command(invocation);
    const auto block = [&](std::string_view key) { return report.payload.find(key)->write(); };
    return {report.text, block("inputs"), block("outputs"), block("comparison")};
  }

 private:
  test::ScratchFile input_;
  OptionValues options_;
  std::vector<std::string> arguments_;
  Commands commands_;
  Messages messages_;
  StopToken stop_;
  MemoryCap memory_{std::int64_t{1} << 30};
};

void check_same(Call& call) {
  const Outcome usual = call.run(run_model);
  const Outcome plain = call.run(run_plain);
  CHECK(!usual.text.empty());
  CHECK(plain.text == usual.text);
  CHECK(plain.inputs == usual.inputs);
  CHECK(plain.outputs == usual.outputs);
  CHECK(plain.comparison == usual.comparison);
}

TEST_CASE("a plain run reports the inputs and outputs of the usual one") {
  Call call;
  call.set("random", "");
  call.set("seed", "7");
  call.set("dim", "n=3");
  SECTION("all outputs") {}
  SECTION("the highest scores of one") {
    call.set("outputs", "z");
    call.set("top", "2");
  }
  SECTION("files of outputs") {
    call.set("output-dir", call.file("out"));
    check_same(call);
    CHECK(std::filesystem::exists(call.file("out/output_1.npy")));
  }
  check_same(call);
}

TEST_CASE("a plain run refuses options that have no effect") {
  const auto refused = [](std::string_view name, const char* value, const char* part) {
    Call call;
    call.set(name, value);
    CHECK_THROWS_WITH(call.run(run_plain), Catch::Contains(part));
  };
  refused("softmax", "", "--softmax");
  refused("output-format", "npz", "--output-format");
  Call call;
  call.set("output-dir", "-");
  call.set("json", "");
  CHECK_THROWS_WITH(call.run(run_plain), Catch::Contains("--json"));
}

}  // namespace
}  // namespace ortool
