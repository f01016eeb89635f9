// Variants of --compare: settings after commas, and paths that contain commas.
#include "apps/ortool/run/variant.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"

namespace ortool {
namespace {

Variant read(const std::string& text) {
  OptionValues options;
  options.set("compare", {text});
  return read_variants(options).front();
}

TEST_CASE("settings are split at commas before known keys only", "[variant]") {
  const Variant variant = read("model=a,b=c,.onnx,threads=2,isa=baseline");
  CHECK(variant.model_path == "a,b=c,.onnx");
  CHECK(variant.max_isa == "baseline");
  REQUIRE(variant.options.size() == 1);
  CHECK(variant.options[0].first == "threads");
  CHECK(read("provider=cuda,cpu").options[0].second == "cuda,cpu");
}

TEST_CASE("what is no setting is refused", "[variant]") {
  CHECK_THROWS_WITH(read("treads=2"), Catch::Contains("treads"));
  CHECK_THROWS_AS(read("threads="), Error);
  CHECK_THROWS_AS(read("threads"), Error);
  CHECK_THROWS_AS(read("isa=sse"), Error);
}

}  // namespace
}  // namespace ortool
