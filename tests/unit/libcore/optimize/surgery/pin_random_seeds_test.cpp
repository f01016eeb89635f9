// Seeds of random operators: in all graphs, of the right kind, and only where missing.
#include "libcore/optimize/surgery/pin_random_seeds.hpp"

#include <catch2/catch.hpp>

#include "libcore/text/parse.hpp"
#include "libcore/text/print.hpp"

namespace ortool {
namespace {

TEST_CASE("random operators without a seed get one each, the same every time", "[optimize]") {
  const std::string text = R"(<ir_version: 8, opset_import: ["": 17]>
    g (float[2] x, bool c) => (y, d, e, i) {
      a = RandomUniformLike (x)
      b = RandomNormalLike <seed = 7.0> (x)
      y = Add (a, b)
      d = Dropout (x, , c)
      e = Dropout (x)
      i = If <then_branch = t () => (p) { p = Bernoulli (x) },
              else_branch = e () => (q) { q = Identity (x) }> (c)
    })";
  const auto model = parse_model(text);
  CHECK(pin_random_seeds(*model) == 3);
  const std::string pinned = print_model(*model);
  CHECK(pinned.find("RandomUniformLike <seed = 1.0>") != std::string::npos);
  CHECK(pinned.find("RandomNormalLike <seed = 7.0>") != std::string::npos);
  CHECK(pinned.find("Dropout <seed = 2>") != std::string::npos);
  CHECK(pinned.find("Bernoulli <seed = 3.0>") != std::string::npos);
  CHECK(pin_random_seeds(*model) == 0);
  const auto again = parse_model(text);
  pin_random_seeds(*again);
  CHECK(print_model(*again) == pinned);
}

TEST_CASE("a version that knows no seed gets none", "[optimize]") {
  const auto model = parse_model(R"(<ir_version: 8, opset_import: ["": 10]>
    g (float[2] x) => (d) { d = Dropout (x) })");
  CHECK(pin_random_seeds(*model) == 0);
}

}  // namespace
}  // namespace ortool
