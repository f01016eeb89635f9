// Random inputs, chosen to suit the nodes that read them.
#include "libcore/dataset/values/random_inputs.hpp"

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/tensor/convert.hpp"
#include "tests/support/inferred_model.hpp"

namespace ortool {
namespace {

/// The tensor counts against `cap`, which outlives it.
Tensor random_tensor(const char* graph, MemoryCap& cap) {
  const auto model =
      inferred_model(std::string("<ir_version: 8, opset_import: [\"\" : 18]>\n") + graph);
  SymbolSizes symbols;
  std::vector<std::string> defaulted;
  return random_value(*model->graph->inputs()[0], symbols, defaulted, 3, 0, std::nullopt, cap)
      .tensor();
}

TEST_CASE("a mask of attention is made of zeros and ones, each row keeping its first") {
  MemoryCap cap(1 << 20);
  const Tensor mask = random_tensor(
      "g (int64[4, 16] x) => (float[4, 1, 1, 16] y) <float one = {1}, float big = {-10000}, "
      "int64[2] a = {1, 2}>"
      "{ u = Unsqueeze (x, a) c = Cast <to = 1> (u) s = Sub (one, c) y = Mul (s, big) }",
      cap);
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < mask.element_count(); ++i) {
    const std::int64_t element = element_as_int64(mask, i);
    CHECK((element == 0 || element == 1));
    if (i % 16 == 0) CHECK(element == 1);
    kept += element;
  }
  CHECK(kept > 4);
  CHECK(kept < 64);
}

TEST_CASE("indices are in range wherever they were moved to") {
  MemoryCap cap(1 << 20);
  const Tensor indices = random_tensor(
      "g (int64[64] x) => (float[32] y) <float[3] table = {1, 2, 3}, int64[1] from = {0}, "
      "int64[1] to = {32}> { s = Slice (x, from, to) y = Gather (table, s) }",
      cap);
  for (std::int64_t i = 0; i < indices.element_count(); ++i)
    CHECK(element_as_int64(indices, i) < 3);
}

TEST_CASE("what is subtracted from 1 for another purpose is no mask") {
  MemoryCap cap(1 << 20);
  const Tensor values = random_tensor(
      "g (float[64] x) => (float[64] y) <float one = {1}, float two = {2}>"
      "{ s = Sub (one, x) y = Mul (s, two) }",
      cap);
  bool has_fraction = false;
  for (std::int64_t i = 0; i < values.element_count(); ++i) {
    const double element = element_as_double(values, i);
    has_fraction = has_fraction || (element > 0 && element < 1);
  }
  CHECK(has_fraction);
}

}  // namespace
}  // namespace ortool
