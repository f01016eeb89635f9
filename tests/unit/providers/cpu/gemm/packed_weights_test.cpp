// Split after a product needs no kernel: the product stores the parts where they are read.
#include "providers/cpu/gemm/packed_weights.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "tests/support/session_support.hpp"

namespace ortool {
namespace {

/// A model whose `nodes` compute s1, s2 and s3 for its outputs.
std::string model_of(std::string_view nodes) {
  return "<ir_version: 8, opset_import: [\"\" : 20]>\n"
         "g (float[2,3,4] x, float[3,4] a) => (float[N] q, float[M] k, float[L] v)\n"
         "<float[4,8] w = {-5, 9, -7, -1, -6, 6, 5, 6, 3, -3, -6, 6, -9, 3, 4, -9,"
         " 5, -1, -2, 9, -6, 1, -9, -9, -9, 8, -9, 3, -3, 4, -9, 7},\n"
         " float[8,4] turned = {-2, 5, 6, 8, -2, 2, -2, -2, 5, 0, -9, 4, 8, -6, -4, 0,"
         " -6, 1, 7, 4, 7, -3, 0, 0, 9, 6, 7, 3, 9, -8, 6, -2},\n"
         " float[8] bias = {3, 4, -4, 2, 8, 2, -7, 5},\n"
         " float[1,3,8] skip = {7, -6, -4, 7, 3, 2, 6, -9, 6, -8, 0, 9, 9, 3, -4, -4,"
         " 7, -2, -9, -3, 8, 8, -2, 3},\n"
         " int64[3] sizes = {2, 4, 2}, int64[1] flat = {-1}, int64[2] square = {4, 3}>\n{ " +
         std::string(nodes) +
         " q = Reshape (s1, flat) k = Reshape (s2, flat) v = Reshape (s3, flat) }";
}

struct SplitOutcome {
  std::vector<Tensor> values;
  std::int64_t splits = 0;  ///< with a kernel of their own
};

SplitOutcome run_splits(const std::string& model, OptimizeLevel level) {
  SessionOptions options = cpu_options();
  options.optimize = level;
  const std::unique_ptr<Session> session = make_session(model, std::move(options));
  SplitOutcome outcome;
  for (const Placement& placement : session->placement()) {
    const bool is_split = placement.kernel.find("split") != std::string::npos;
    outcome.splits += is_split ? 1 : 0;
  }
  const NamedValues inputs = {{"x", random_tensor(Shape{2, 3, 4}, 3)},
                              {"a", random_tensor(Shape{3, 4}, 5)}};
  for (const RunValue& value : session->run(inputs, {})) outcome.values.push_back(value.tensor());
  return outcome;
}

/// The number of Splits left; checks that bits are those of separate nodes.
std::int64_t splits_left(const std::string& model) {
  const SplitOutcome fused = run_splits(model, OptimizeLevel::all);
  const SplitOutcome single = run_splits(model, OptimizeLevel::none);
  INFO(model);
  CHECK(single.splits == 1);
  for (std::size_t i = 0; i < single.values.size(); ++i)
    CHECK(same_bits(fused.values[i], single.values[i]));
  return fused.splits;
}

TEST_CASE("products store the parts of the Split behind them", "[packed_columns]") {
  CHECK(splits_left(model_of("p = MatMul (x, w) s1, s2, s3 = Split <axis = 2> (p, sizes)")) == 0);
  CHECK(splits_left(model_of("p = MatMul (x, w) b = Add (bias, p) c = Relu (b) "
                             "s1, s2, s3 = Split <axis = -1> (c, sizes)")) == 0);
  CHECK(splits_left(model_of("p = Gemm <transB = 1> (a, turned, bias) "
                             "s1, s2, s3 = Split <axis = 1> (p, sizes)")) == 0);
  CHECK(splits_left(model_of("p = Gemm <alpha = 0.5> (a, w) b = Add (p, bias) "
                             "s1, s2, s3 = Split <axis = 1, num_outputs = 3> (b)")) == 0);
}

TEST_CASE("a Split stays where its parts are no columns or something else is added",
          "[packed_columns]") {
  CHECK(splits_left(model_of("p = MatMul (x, w) "
                             "s1, s2, s3 = Split <axis = 1, num_outputs = 3> (p)")) == 1);
  CHECK(splits_left(model_of("p = MatMul (x, w) b = Add (p, skip) "
                             "s1, s2, s3 = Split <axis = 2> (b, sizes)")) == 1);
  CHECK(splits_left(model_of("r = Reshape (a, square) p = MatMul (x, r) "
                             "s1, s2, s3 = Split <axis = 2, num_outputs = 3> (p)")) == 1);
}

}  // namespace
}  // namespace ortool
