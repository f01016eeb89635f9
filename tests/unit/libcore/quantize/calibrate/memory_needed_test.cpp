// Memory estimate of quantization: what it counts.
#include "libcore/quantize/calibrate/memory_needed.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/quantize/calibrate/collect.hpp"
#include "tests/support/inferred_model.hpp"
#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

constexpr std::int64_t megabyte = 1'000'000;

/// A chain of `layers` products with 1024 x 1024 matrices, on `rows` rows.
std::unique_ptr<Model> chain(int layers, int rows) {
  std::string nodes;
  for (int i = 0; i < layers; ++i) nodes += format("v{} = MatMul (v{}, w{}) ", i + 1, i, i);
  std::string weights;
  for (int i = 0; i < layers; ++i) weights += format(", float[1024,1024] w{}", i);
  auto model = inferred_model(format("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                     "g (float[{},1024] v0{}) => (float[{},1024] v{}) ",
                                     rows, weights, rows, layers) +
                              "{" + nodes + "}");
  Graph& graph = *model->graph;
  for (int i = 0; i < layers; ++i) {
    Value& value = *graph.find_value(format("w{}", i));
    graph.set_constant(value, random_tensor(Shape{1024, 1024}, 1));
    graph.make_default_constant(value);
  }
  return model;
}

TEST_CASE("without runs one tensor counts, and levels that wait in memory", "[memory_needed]") {
  const QuantizeWork work{.runs_models = false};
  const std::int64_t one = memory_needed(*chain(1, 1), work);
  CHECK(one > 12 * megabyte);
  CHECK(memory_needed(*chain(4, 1), work) - one < 4 * megabyte);
}

TEST_CASE("with runs, matrices count no more than sessions keep of them", "[memory_needed]") {
  const std::int64_t few = memory_needed(*chain(12, 1), {});
  const std::int64_t many = memory_needed(*chain(40, 1), {});
  CHECK(few < 80 * megabyte);
  CHECK(many - few < 20 * megabyte);
}

TEST_CASE("records and larger samples count", "[memory_needed]") {
  const std::int64_t bytes = memory_needed(*chain(2, 1), {});
  CHECK(memory_needed(*chain(2, 1), {.records = 100}) >= bytes + 100 * bytes_a_record);
  CHECK(memory_needed(*chain(2, 1001), {}) >= bytes + std::int64_t{8} * 1000 * 1024 * 4);
}

TEST_CASE("recipes that try variants count what they collect", "[memory_needed]") {
  const std::int64_t bytes = memory_needed(*chain(2, 1), {});
  CHECK(memory_needed(*chain(2, 1), {.tries_variants = true}) >=
        bytes + std::int64_t{2} * 2 * 1024 * 512 * 8);
}

}  // namespace
}  // namespace ortool
