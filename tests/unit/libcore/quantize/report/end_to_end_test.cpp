// End-to-end comparison: what is kept of it depends on the memory that the task may use.
#include "libcore/quantize/report/end_to_end.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/memory/memory_cap.hpp"
#include "tests/support/quantize_call.hpp"

namespace ortool {
namespace {

constexpr const char* doubling =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[2] x) => (float[2] y) { y = Add (x, x) }";

/// The number of runs that a comparison of two samples keeps.
std::size_t runs_kept_within(std::int64_t memory_limit) {
  test::QuantizeCall call(doubling, {vector_of({1, 2}), vector_of({-3, 0.5F})}, memory_limit);
  // Its tensors count against the memory of the call.
  const EndToEnd compared = compare_models(call.context().task, call.context().machine,
                                           call.floats(), call.model(), call.data());
  CHECK(compared.samples == 2);
  return compared.runs.size();
}

OptimizeLevel level_within(std::int64_t memory_limit) {
  const test::QuantizeCall call(doubling, {vector_of({1, 2})}, memory_limit);
  return level_of_comparison(call.context().task);
}

TEST_CASE(
    "a comparison keeps its runs and optimizes under the limit that the program has by default") {
  for (const std::int64_t limit : {std::int64_t{0}, machine_memory_bytes() / 10 * 8}) {
    CHECK(runs_kept_within(limit) == 2);
    CHECK(level_within(limit) == OptimizeLevel::all);
  }
}

TEST_CASE("a comparison keeps nothing and packs no weights where little memory is allowed") {
  constexpr std::int64_t limit = std::int64_t{1} << 24;
  CHECK(runs_kept_within(limit) == 0);
  CHECK(level_within(limit) == OptimizeLevel::none);
}

}  // namespace
}  // namespace ortool
