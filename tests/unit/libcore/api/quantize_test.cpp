// Quantizing a model in one call in each mode, and calibration alone.
#include "libcore/api/quantize.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/io/npy.hpp"
#include "libcore/text/parse.hpp"
#include "providers/provider_list.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// x times a 64 x 64 matrix.
std::unique_ptr<Model> product_model() {
  auto model = parse_model(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2, 64] x, float[64, 64] w) =>"
      " (float[2, 64] y) { [product] y = MatMul (x, w) }");
  Value* weight = model->graph->find_value("w");
  model->graph->set_constant(*weight, random_tensor(Shape{64, 64}, 1));
  model->graph->make_default_constant(*weight);
  return model;
}

/// Three samples of x in [-1, 1), the first times `first_factor`, as files named by a manifest.
class Samples {
 public:
  explicit Samples(float first_factor = 1) : manifest_("manifest.json") {
    std::string listed;
    for (unsigned seed = 1; seed <= 3; ++seed) {
      files_.push_back(std::make_unique<test::ScratchFile>("x.npy"));
      Tensor sample = random_tensor(Shape{2, 64}, seed);
      for (float& each : sample.mutable_data<float>()) each *= seed == 1 ? first_factor : 1;
      save_npy(files_.back()->path(), sample);
      listed += (listed.empty() ? "" : ", ");
      listed += R"({"inputs": {"x": ")" + files_.back()->path() + "\"}}";
    }
    manifest_.write("{\"samples\": [" + listed + "]}");
  }

  const std::string& path() const { return manifest_.path(); }

 private:
  test::ScratchFile manifest_;
  std::vector<std::unique_ptr<test::ScratchFile>> files_;
};

QuantizeOptions options_of_quantize() {
  QuantizeOptions options;
  options.compute.providers = default_providers();
  return options;
}

std::int64_t count_nodes(const Model& model, std::string_view op_type) {
  std::int64_t count = 0;
  for (const Node& node : model.graph->nodes()) count += node.op_type() == op_type ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("ranges of calibration data make a model of quantized values, and its error is told") {
  const Samples samples;
  const auto model = product_model();
  QuantizeOptions options = options_of_quantize();
  options.data.calibration = {samples.path()};
  const QuantizeResult result = quantize(*model, options);
  CHECK(result.samples == 3);
  CHECK(result.settings.mode == QuantizeMode::statically);
  CHECK(count_nodes(*model, "QuantizeLinear") >= 1);
  REQUIRE(result.end_to_end.outputs.size() == 1);
  CHECK(result.end_to_end.outputs.front().sums.sqnr_db() > 25);
  CHECK(result.after_bytes.quantized >= 64 * 64);
  CHECK(result.before_bytes.quantized == 0);
  CHECK_FALSE(result.is_refused);
}

TEST_CASE("a warning names dynamic quantization where ranges change from sample to sample") {
  const auto warnings_with = [](float first_factor) {
    const Samples samples(first_factor);
    // The product relative to its largest element, so that small samples count as much.
    auto model = parse_model(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2, 64] x, float[64, 64] w) =>"
        " (float[2, 64] z) { [product] y = MatMul (x, w) a = Abs (y) m = ReduceMax (a)"
        " z = Div (y, m) }");
    Value* weight = model->graph->find_value("w");
    model->graph->set_constant(*weight, random_tensor(Shape{64, 64}, 1));
    model->graph->make_default_constant(*weight);
    QuantizeOptions options = options_of_quantize();
    options.data.calibration = {samples.path()};
    std::string warnings;
    options.compute.on_warning = [&](std::string_view text) { warnings.append(text).append("\n"); };
    quantize(*model, options);
    return warnings;
  };
  CHECK_THAT(warnings_with(60), Catch::Contains("with ranges computed at run time"));
  CHECK_THAT(warnings_with(1), !Catch::Contains("with ranges computed at run time"));
}

TEST_CASE("the other modes need no data") {
  const auto dynamic = product_model();
  QuantizeOptions options = options_of_quantize();
  options.mode = QuantizeMode::dynamically;
  quantize(*dynamic, options);
  CHECK(count_nodes(*dynamic, "MatMulInteger") == 1);

  const auto weights = product_model();
  options.mode = QuantizeMode::weights_only;
  const QuantizeResult result = quantize(*weights, options);
  CHECK(count_nodes(*weights, "MatMul") == 1);
  CHECK(result.after_bytes.quantized >= 64 * 64);
  CHECK(result.end_to_end.outputs.empty());
}

TEST_CASE("static mode without data is refused, random data will do") {
  const auto model = product_model();
  QuantizeOptions options = options_of_quantize();
  CHECK_THROWS_WITH(quantize(*model, options), Catch::Contains("no calibration data"));
  std::vector<std::string> warnings;
  options.compute.on_warning = [&](std::string_view text) { warnings.emplace_back(text); };
  options.has_random_data = true;
  CHECK(quantize(*model, options).samples == 16);
  REQUIRE_FALSE(warnings.empty());
  CHECK_THAT(warnings.front(), Catch::Contains("random inputs"));
}

TEST_CASE("nodes that are left out stay in float, and unknown ones are refused") {
  const Samples samples;
  const auto model = product_model();
  QuantizeOptions options = options_of_quantize();
  options.data.calibration = {samples.path()};
  options.selection.excluded = {"prod*"};
  const QuantizeResult result = quantize(*model, options);
  CHECK(count_nodes(*model, "QuantizeLinear") == 0);
  REQUIRE(result.plan.nodes.size() == 1);
  CHECK_FALSE(result.plan.nodes.front().is_quantized);
  options.selection.excluded = {"produkt"};
  CHECK_THROWS_AS(quantize(*product_model(), options), Error);
}

TEST_CASE("data may be completed once the model is prepared") {
  const Samples samples;
  const auto model = product_model();
  QuantizeOptions options = options_of_quantize();
  options.data.calibration = {samples.path()};
  options.complete_data = [](const Model& prepared, QuantizeData& data) {
    CHECK(prepared.graph->inputs().size() == 1);
    data.samples = {0, 2};
  };
  CHECK(quantize(*model, options).samples == 2);
}

TEST_CASE("calibration tells what the values of the model are like") {
  const Samples samples;
  const auto model = product_model();
  QuantizeOptions options = options_of_quantize();
  options.data.calibration = {samples.path()};
  options.method.method = CalibrationMethod::minmax;
  const CalibrationReport report = calibrate(*model, options);
  CHECK(report.samples() == 3);
  CHECK(count_nodes(*model, "QuantizeLinear") == 0);
  const std::vector<CalibratedRange> ranges = calibrated_ranges(report.calibration, options);
  REQUIRE(ranges.size() == 2);
  CHECK(ranges[0].name == "x");
  CHECK(ranges[0].chosen.range.low >= -1);
  CHECK(ranges[0].chosen.range.high < 1);
  CHECK(ranges[1].name == "y");
}

TEST_CASE("a limit that is too low is told, with one that is enough") {
  const Samples samples;
  MemoryCap memory(1000);
  QuantizeOptions options = options_of_quantize();
  options.compute.memory = &memory;
  options.data.calibration = {samples.path()};
  try {
    quantize(*product_model(), options);
    FAIL("a thousand bytes are not enough");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::memory_limit);
  }
}

}  // namespace ortool
