// The optimize command with pipelines of the test: a wrong rule is named, and nothing is written.
#include "apps/ortool/optimize/optimize_run.hpp"

#include <filesystem>
#include <memory>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/io/npy.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/write/save.hpp"
#include "libcore/optimize/rules/rules.hpp"
#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"
#include "tests/support/scratch_file.hpp"

namespace ortool {
namespace {

constexpr const char* four_steps =
    "<ir_version: 8, opset_import: [\"\" : 18]>\n"
    "g (float[n, 3] x) => (float[n, 3] y)"
    "{ [a] a = Identity (x) [b] b = Neg (a) [c] c = Neg (b) [d] d = Relu (c) [e] e = Identity (d)"
    "  [f] f = Neg (e) [h] y = Abs (f) }";

/// Wrong: drops the sign of a negated Relu, unlike the removal of a double negation.
Rule forget_negation() {
  return {.name = "forget-negation",
          .summary = "Neg(Relu(x)) -> Abs(Relu(x)), which is wrong",
          .level = OptimizeLevel::basic,
          .pattern = op("Neg", {op("Relu", {any("x")}).as("r").shared()}),
          .replace = [](Replacement& replacement) -> Value& {
            return replacement.add("Abs", {&replacement["r"]});
          }};
}

/// Correct: Neg(Neg(x)) -> x
Rule remove_double_negation() {
  return {.name = "remove-double-negation",
          .summary = "Neg(Neg(x)) -> x",
          .level = OptimizeLevel::basic,
          .pattern = op("Neg", {op("Neg", {any("x")})}),
          .replace = [](Replacement& replacement) -> Value& { return replacement["x"]; }};
}

/// One call of the command on a model from text.
class Call {
 public:
  explicit Call(const char* model) : input_("model.onnx"), output_("out.onnx") {
    save_model(*parse_model(model), input_.path());
    options_.set("output", {output_.path()});
    arguments_ = {input_.path()};
    messages_.set_level(Verbosity::error);
  }

  void set(std::string_view name, std::string value) { options_.set(name, {std::move(value)}); }

  void run(std::vector<Rule> rules, OptimizeLevel level = OptimizeLevel::basic) {
    Invocation invocation{options_, arguments_, commands_, report_, messages_,
                          stop_,    memory_,    true,      {}};
    run_optimize(invocation, {{"test", level, std::move(rules)}});
  }

  const Report& report() const { return report_; }
  const Json& verification() const { return *report_.payload.find("verification"); }
  std::string folder() const { return std::filesystem::path(output_.path()).parent_path(); }
  const std::string& model_path() const { return arguments_.front(); }
  std::string model_folder() const { return std::filesystem::path(input_.path()).parent_path(); }
  bool has_written() const { return std::filesystem::exists(output_.path()); }
  std::string written() const { return print_model(*load_model(output_.path())); }

 private:
  test::ScratchFile input_;
  test::ScratchFile output_;
  OptionValues options_;
  std::vector<std::string> arguments_;
  Commands commands_;
  Report report_;
  Messages messages_;
  StopToken stop_;
  MemoryCap memory_{std::int64_t{1} << 30};
};

TEST_CASE("what right rules make is compared and written") {
  Call call(four_steps);
  call.run({remove_identity(), remove_double_negation()});
  CHECK(call.report().verdict == 0);
  CHECK(call.verification().find("passed")->flag());
  CHECK(call.verification().find("runs")->number() == 3);
  REQUIRE(call.has_written());
  const std::string text = call.written();
  CHECK(text.find("Identity") == std::string::npos);
  CHECK(text.find("float[n, 3] x") != std::string::npos);
}

TEST_CASE("a wrong rule is named with its node, and nothing is written") {
  Call call(four_steps);
  call.run({remove_identity(), remove_double_negation(), forget_negation()});
  // Abs hides the sign here.
  CHECK(call.verification().find("passed")->flag());

  Call seen(
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (float[n, 3] x) => (float[n, 3] y, float[n, 3] z)"
      "{ [a] a = Identity (x) [b] b = Neg (a) [c] c = Neg (b) [d] d = Relu (c)"
      "  [e] e = Identity (d) [f] y = Neg (e) [h] z = Abs (c) }");
  seen.run({remove_identity(), remove_double_negation(), forget_negation()});
  CHECK(seen.report().verdict == 1);
  CHECK_FALSE(seen.verification().find("passed")->flag());
  CHECK(seen.verification().find("output")->text() == "y");
  const Json& culprit = *seen.verification().find("culprit");
  CHECK(culprit.find("pass")->text() == "forget-negation");
  CHECK(culprit.find("node")->text() == "f");
  CHECK(culprit.find("members")->items().size() == 2);
  CHECK_FALSE(seen.has_written());
}

TEST_CASE("the nodes at fault are kept as a model of their own, with what they read") {
  Call call(
      "<ir_version: 8, opset_import: [\"\" : 18]>\n"
      "g (float[n, 3] x) => (float[n, 3] y)"
      "{ [a] a = Identity (x) [b] b = Exp (a) [d] d = Relu (b) [f] f = Neg (d) [g] y = Mul (f, b) "
      "}");
  const std::string folder = call.folder() + "/repro";
  call.set("save-repro", folder);
  call.run({remove_identity(), forget_negation()});
  CHECK(call.report().verdict == 1);
  const auto before = load_model(folder + "/model.onnx");
  CHECK(before->graph->node_count() == 2);
  CHECK(before->graph->inputs()[0]->name() == "b");
  CHECK(before->graph->outputs()[0]->name() == "f");
  const auto after = load_model(folder + "/optimized.onnx");
  CHECK(print_model(*after).find("Abs") != std::string::npos);
  CHECK(std::filesystem::exists(folder + "/test_data_set_0/input_0.pb"));
  CHECK(std::filesystem::exists(folder + "/test_data_set_0/output_0.pb"));
  CHECK(std::filesystem::exists(folder + "/report.json"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("without runs nothing is compared, and the report says so") {
  Call call(four_steps);
  call.set("verify", "0");
  call.run({remove_identity()});
  CHECK(call.verification().find("passed")->is_null());
  CHECK(call.verification().find("reason")->text() == "not asked for");
  CHECK(call.has_written());
}

TEST_CASE("figures of passes begin where the ones before ended") {
  Call call(four_steps);
  call.run({remove_identity(), remove_double_negation()});
  const Json::List& passes = call.report().payload.find("passes")->items();
  REQUIRE(passes.size() == 2);
  CHECK(passes[0].find("nodes_before")->number() == 7);
  CHECK(passes[0].find("applied")->number() == 2);
  CHECK(passes[0].find("nodes_after")->number() == 5);
  CHECK(passes[1].find("nodes_before")->number() == 5);
  CHECK(passes[1].find("nodes_after")->number() == 3);
}

/// Quantizes thirds that lie near rounding ties and amplifies differences of the codes: one code
/// rounded the other way changes an output by half.
constexpr const char* amplified =
    "<ir_version: 8, opset_import: [\"\" : 18]>\n"
    "g (float[2, 3] x) => (float[2, 3] y)"
    "<float none = {0}, float[3] k = {7.5, 1.6, 100}, float three = {3}, float one = {1},"
    " uint8 ten = {10}, float two = {2}, float hundred = {100}>"
    "{ [a] a = Mul (x, none) [b] b = Add (a, k) [d] d = Div (b, three)"
    "  [q] q = QuantizeLinear (d, one, ten) [f] f = DequantizeLinear (q, one, ten)"
    "  [s] s = Sub (f, two) [y] y = Mul (s, hundred) }";

Rule multiply_by(float factor) {
  return {.name = "multiply-by-third",
          .summary = "x / 3 -> x * factor",
          .level = OptimizeLevel::extended,
          .pattern = op("Div", {any("x"), any("by")}),
          .replace = [factor](Replacement& replacement) -> Value& {
            Value& third = replacement.constant(Tensor::of<float>(Shape(), {factor}));
            return replacement.add("Mul", {&replacement["x"], &third});
          }};
}

Rule change_zero_point(const std::string& op_type) {
  return {.name = "change-zero-point",
          .summary = "a wrong rule",
          .level = OptimizeLevel::extended,
          .pattern = op(op_type, {any("x"), any("scale"),
                                  constant("zero").where_value([](const Value& zero) {
                                    return zero.constant().data<std::uint8_t>()[0] == 10;
                                  })})
                         .as("q"),
          .replace = [op_type](Replacement& replacement) -> Value& {
            Value& zero = replacement.constant(Tensor::of<std::uint8_t>(Shape(), {11}));
            return replacement.add(op_type, {&replacement["x"], &replacement["scale"], &zero});
          }};
}

TEST_CASE("bytes that are rounded the other way are no difference, though they are amplified") {
  constexpr float above_third = 0.33333337F;
  Call call(amplified);
  call.run({multiply_by(above_third)}, OptimizeLevel::extended);
  CHECK(call.report().verdict == 0);
  CHECK(call.verification().find("passed")->flag());
  CHECK(call.verification().find("max_abs_error")->number() == 100);
  REQUIRE(call.verification().find("stages") != nullptr);
  const Json& stages = *call.verification().find("stages");
  CHECK(stages.find("count")->number() == 1);
  CHECK(stages.find("values")->number() == 18);
  CHECK(stages.find("rounded_differently")->number() > 0);
  CHECK(stages.find("largest_excess_units")->number() < 1e-5);
  CHECK(call.has_written());
}

TEST_CASE("a wrong rule of a quantized model is named all the same") {
  const auto check = [](const Rule& wrong, std::string_view node, std::string_view value) {
    Call call(amplified);
    call.run({wrong}, OptimizeLevel::extended);
    CHECK(call.report().verdict == 1);
    CHECK_FALSE(call.verification().find("passed")->flag());
    CHECK(call.verification().find("output")->text() == value);
    REQUIRE(call.verification().find("culprit") != nullptr);
    CHECK(call.verification().find("culprit")->find("pass")->text() == wrong.name);
    CHECK(call.verification().find("culprit")->find("node")->text() == node);
    CHECK_FALSE(call.has_written());
  };
  check(multiply_by(0.33333337F * 1.01F), "d", "q");
  check(change_zero_point("QuantizeLinear"), "q", "q");
  check(change_zero_point("DequantizeLinear"), "f", "y");
}

TEST_CASE("test data of another size than --dim asks for is left aside") {
  Call call(four_steps);
  const std::filesystem::path set = std::filesystem::path(call.model_folder()) / "test_data_set_0";
  std::filesystem::create_directory(set);
  save_npy((set / "input_0.npy").string(), Tensor::of<float>(Shape({2, 3}), {1, 2, 3, 4, 5, 6}));
  call.set("dim", "n=4");
  call.run({remove_identity()});
  std::filesystem::remove_all(set);
  CHECK(call.verification().find("passed")->flag());
  CHECK(call.verification().find("runs")->number() == 3);
  REQUIRE_FALSE(call.report().warnings().empty());
  CHECK_THAT(call.report().warnings().front(), Catch::Contains("is skipped, since 'x' is 2x3"));
}

TEST_CASE("what functions compute becomes float16 at every level") {
  Call call(
      "<ir_version: 8, opset_import: [\"\" : 18, \"local\" : 1]>\n"
      "g (float[2, 3] x) => (float[2, 3] y) <float[2, 3] k = {1, 2, 3, 4, 5, 6}>"
      "{ [a] y = local.scale (x, k) }"
      "<domain: \"local\", opset_import: [\"\" : 18]> scale (p, q) => (r) { r = Mul (p, q) }");
  call.set("fp16", "true");
  call.set("level", "none");
  call.run({});
  CHECK(call.report().payload.find("float16")->find("converted")->number() > 0);
  CHECK(call.written().find("float16") != std::string::npos);
}

TEST_CASE("a model written over itself needs --force") {
  Call call(four_steps);
  call.set("output", call.model_path());
  CHECK_THROWS_WITH(call.run({remove_identity()}), Catch::Contains("is the model that is read"));
  call.set("force", "true");
  call.run({remove_identity()});
  CHECK(print_model(*load_model(call.model_path())).find("Identity") == std::string::npos);
}

}  // namespace
}  // namespace ortool
