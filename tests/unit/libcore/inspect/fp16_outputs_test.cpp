// Outputs that depend on 16-bit floats: through casts and bodies, but not on constants alone.
#include "libcore/inspect/fp16_outputs.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

using Names = std::set<std::string, std::less<>>;

TEST_CASE("outputs behind a product in float16 are told from those beside it", "[inspect]") {
  const auto model = inferred_model(R"(<ir_version: 8, opset_import: ["": 18]>
    g (float[2, 2] x, bool c) => (y, z, s, i) <float16[2, 2] w = {1, 2, 3, 4}> {
      h = Cast <to = 10> (x)
      p = MatMul (h, w)
      y = Cast <to = 1> (p)
      v = Cast <to = 1> (w)
      z = MatMul (x, v)
      s = Shape (p)
      i = If <then_branch = t () => (a) { a = Neg (y) },
              else_branch = e () => (b) { b = Neg (x) }> (c)
    })");
  CHECK(has_fp16(*model));
  CHECK(fp16_outputs(*model) == Names{"i", "y"});
}

TEST_CASE("an input in bfloat16 counts once it is computed with", "[inspect]") {
  const auto model = inferred_model(R"(<ir_version: 8, opset_import: ["": 18]>
    g (bfloat16[2] x) => (y, z) {
      y = Cast <to = 1> (x)
      a = Add (x, x)
      z = Cast <to = 1> (a)
    })");
  CHECK(fp16_outputs(*model) == Names{"z"});
}

TEST_CASE("a model of float32 has no such outputs", "[inspect]") {
  const auto model = inferred_model(R"(<ir_version: 8, opset_import: ["": 18]>
    g (float[2] x) => (y) { y = Neg (x) })");
  CHECK_FALSE(has_fp16(*model));
  CHECK(fp16_outputs(*model).empty());
}

}  // namespace
}  // namespace ortool
