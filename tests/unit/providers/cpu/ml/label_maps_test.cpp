// Label maps in sessions: rows become maps, and maps become rows.
#include <catch2/catch.hpp>

#include "libcore/runtime/session.hpp"
#include "libcore/text/parse.hpp"
#include "providers/cpu/cpu_provider.hpp"

namespace ortool {
namespace {

/// The first output of a graph for its only input.
RunValue run_map_graph(const std::string& graph, const RunValue& input) {
  SessionOptions options;
  options.providers = {make_cpu_provider()};
  const Session session(
      parse_model("<ir_version: 8, opset_import: [\"\": 17, \"ai.onnx.ml\": 1]>\n" + graph),
      std::move(options));
  return session.run({{"x", input}}, {})[0];
}

RunValue numbers_by_key(std::vector<std::int64_t> keys, std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(keys.size());
  return RunValue::map(Tensor::of<std::int64_t>({count}, keys), Tensor::of<float>({count}, values));
}

std::vector<float> floats_of(const Tensor& tensor) {
  return {tensor.data<float>().begin(), tensor.data<float>().end()};
}

std::vector<std::string> strings_of(const Tensor& tensor) {
  return {tensor.strings().begin(), tensor.strings().end()};
}

RunValue run_cast_map(const std::string& attributes, const std::string& type,
                      const RunValue& input) {
  return run_map_graph(
      "g (map(int64, " + type + ") x) => (y) { y = ai.onnx.ml.CastMap <" + attributes + "> (x) }",
      input);
}

}  // namespace

TEST_CASE("ZipMap makes a map of each row") {
  const RunValue maps = run_map_graph(
      "g (float[2, 3] x) => (y) { y = ai.onnx.ml.ZipMap <classlabels_strings = "
      "[\"a\", \"b\", \"c\"]> (x) }",
      Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  REQUIRE(maps.elements().size() == 2);
  CHECK(strings_of(maps.elements()[1].keys()) == std::vector<std::string>{"a", "b", "c"});
  CHECK(floats_of(maps.elements()[1].map_values()) == std::vector<float>{4, 5, 6});
  const RunValue one = run_map_graph(
      "g (float[2] x) => (y) { y = ai.onnx.ml.ZipMap <classlabels_int64s = [7, 8]> (x) }",
      Tensor::of<float>({2}, {1, 2}));
  REQUIRE(one.elements().size() == 1);
  CHECK(one.elements()[0].keys().data<std::int64_t>()[1] == 8);
}

TEST_CASE("ZipMap refuses rows of another width than its labels") {
  CHECK_THROWS_AS(run_map_graph("g (float[N, M] x) => (y) { y = ai.onnx.ml.ZipMap "
                                "<classlabels_int64s = [7, 8]> (x) }",
                                Tensor::of<float>({1, 3}, {1, 2, 3})),
                  Error);
}

TEST_CASE("DictVectorizer puts values into the columns of their keys") {
  const RunValue row = run_map_graph(
      "g (map(int64, float) x) => (y) { y = ai.onnx.ml.DictVectorizer <int64_vocabulary = "
      "[5, -1, 3]> (x) }",
      numbers_by_key({3, 9, 5}, {1.5F, 2, 4}));
  CHECK(row.tensor().shape() == Shape{1, 3});
  CHECK(floats_of(row.tensor()) == std::vector<float>{4, 0, 1.5F});
  const RunValue counts = run_map_graph(
      "g (map(string, int64) x) => (y) { y = ai.onnx.ml.DictVectorizer <string_vocabulary = "
      "[\"a\", \"b\"]> (x) }",
      RunValue::map(Tensor::of_strings({2}, {"b", "q"}), Tensor::of<std::int64_t>({2}, {7, 8})));
  CHECK(counts.tensor().data<std::int64_t>()[0] == 0);
  CHECK(counts.tensor().data<std::int64_t>()[1] == 7);
  const RunValue texts = run_map_graph(
      "g (map(int64, string) x) => (y) { y = ai.onnx.ml.DictVectorizer <int64_vocabulary = "
      "[1, 2]> (x) }",
      RunValue::map(Tensor::of<std::int64_t>({1}, {2}), Tensor::of_strings({1}, {"two"})));
  CHECK(strings_of(texts.tensor()) == std::vector<std::string>{"", "two"});
}

TEST_CASE("CastMap orders the values by their keys") {
  const RunValue numbers = numbers_by_key({3, 1}, {2.75F, -1});
  CHECK(floats_of(run_cast_map("cast_to = \"TO_FLOAT\"", "float", numbers).tensor()) ==
        std::vector<float>{-1, 2.75F});
  const RunValue integers = run_cast_map("cast_to = \"TO_INT64\"", "float", numbers);
  CHECK(integers.tensor().data<std::int64_t>()[1] == 2);
  CHECK(strings_of(run_cast_map("cast_to = \"TO_STRING\"", "float", numbers).tensor()) ==
        std::vector<std::string>{"-1.000000", "2.750000"});
}

TEST_CASE("CastMap puts the values of a sparse map where their keys say") {
  const std::string sparse = "map_form = \"SPARSE\", max_map = 4, ";
  const RunValue numbers = numbers_by_key({3, 9, 1}, {2.5F, 7, -1});
  CHECK(floats_of(run_cast_map(sparse + "cast_to = \"TO_FLOAT\"", "float", numbers).tensor()) ==
        std::vector<float>{0, -1, 0, 2.5F});
  CHECK_THROWS_AS(
      run_cast_map(sparse + "cast_to = \"TO_FLOAT\"", "float", numbers_by_key({-1}, {1})), Error);
}

TEST_CASE("CastMap reads numbers from texts, and refuses what is none") {
  const auto text = [](std::string value) {
    return RunValue::map(Tensor::of<std::int64_t>({1}, {0}),
                         Tensor::of_strings({1}, {std::move(value)}));
  };
  CHECK(floats_of(run_cast_map("cast_to = \"TO_FLOAT\"", "string", text("-1.5e2")).tensor()) ==
        std::vector<float>{-150});
  const RunValue integer = run_cast_map("cast_to = \"TO_INT64\"", "string", text("-12"));
  CHECK(integer.tensor().data<std::int64_t>()[0] == -12);
  CHECK_THROWS_AS(run_cast_map("cast_to = \"TO_INT64\"", "string", text("12x")), Error);
  CHECK_THROWS_AS(run_cast_map("cast_to = \"TO_FLOAT\"", "string", text("")), Error);
}

}  // namespace ortool
