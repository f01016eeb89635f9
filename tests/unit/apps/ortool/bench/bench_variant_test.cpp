// Benchmark variants: which are measured, and their names.
#include "apps/ortool/bench/bench_variant.hpp"

#include <catch2/catch.hpp>

namespace ortool {
namespace {

BenchSettings settings_of(std::vector<std::string> models) {
  BenchSettings settings;
  settings.models = std::move(models);
  settings.providers = {"auto"};
  settings.threads = {1};
  settings.dims = {{}};
  return settings;
}

std::vector<std::string> names_of_variants(const BenchSettings& settings) {
  std::vector<std::string> names;
  for (const BenchVariant& variant : list_variants(settings)) names.push_back(variant.name);
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("every combination is a variant, references behind the models", "[bench_variant]") {
  BenchSettings settings = settings_of({"new.onnx"});
  settings.threads = {1, 2};
  settings.dims = {{{"batch", "1"}}, {{"batch", "8"}}};
  settings.references = {"old.onnx"};
  CHECK(names_of_variants(settings) ==
        Names{"new.onnx auto threads=1 batch=1", "new.onnx auto threads=1 batch=8",
              "new.onnx auto threads=2 batch=1", "new.onnx auto threads=2 batch=8",
              "old.onnx auto threads=1 batch=1 (reference)",
              "old.onnx auto threads=1 batch=8 (reference)",
              "old.onnx auto threads=2 batch=1 (reference)",
              "old.onnx auto threads=2 batch=8 (reference)"});
}

TEST_CASE("models are called by what tells them apart", "[bench_variant]") {
  CHECK(names_of_variants(settings_of({"zoo/resnet/model.onnx"})) ==
        Names{"resnet/model.onnx auto threads=1"});
  CHECK(names_of_variants(settings_of({"a/m.onnx", "b/m.onnx"})) ==
        Names{"a/m.onnx auto threads=1", "b/m.onnx auto threads=1"});
  CHECK(names_of_variants(settings_of({"a/m.onnx", "a/m.onnx"})) ==
        Names{"a/m.onnx auto threads=1"});
}

TEST_CASE("a variant's options replace those of the command line", "[bench_variant]") {
  OptionValues options;
  options.set("dim", {"batch=1,8"});
  options.set("threads", {"1,2"});
  options.set("seed", {"3"});
  BenchVariant variant;
  variant.provider = "cpu";
  variant.threads = 2;
  variant.dims = {{"batch", "8"}};
  variant.more_options = {{"node-provider", "a=cpu"}, {"node-provider", "b=cpu"}};
  const OptionValues changed = options_for(options, variant);
  CHECK(changed.text("dim") == "batch=8");
  CHECK(changed.text("threads") == "2");
  CHECK(changed.text("provider") == "cpu");
  CHECK(changed.text("seed") == "3");
  CHECK(changed.all("node-provider").size() == 2);
  CHECK_FALSE(options_for(options, variant, false).has("dim"));
}

TEST_CASE("percentiles have keys without points", "[bench_variant]") {
  CHECK(percentile_key(50) == "p50");
  CHECK(percentile_key(99.9) == "p99_9");
}

}  // namespace
}  // namespace ortool
