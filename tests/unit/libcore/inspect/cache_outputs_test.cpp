// Which outputs count as caches.
#include "libcore/inspect/cache_outputs.hpp"

#include <catch2/catch.hpp>

#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

TEST_CASE("caches are outputs that are named so, or that an operator names so", "[inspect]") {
  const auto model = inferred_model(
      "<ir_version: 10, opset_import: [\"\": 21, \"com.microsoft\": 1]> g (float[1, 1, 2] x, "
      "float[1, 1, 0, 2] past) => (float[1, 1, 2] logits, float[1, 1, T, 2] present_0_key, "
      "float[1, 1, 2] y, float[1, 1, 2] state) "
      "<float[1, 1, 3] w = {1, 1, 1}> { "
      "logits = Neg (x) present_0_key = Concat <axis = 2> (past, past) "
      "y, state = com.microsoft.CausalConvWithState (x, w) }");
  CHECK(cache_outputs(*model) == std::set<std::string, std::less<>>{"present_0_key", "state"});
}

}  // namespace
}  // namespace ortool
