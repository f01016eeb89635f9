// Classical models except trees: output shapes, and inconsistent attribute lists.
#include <catch2/catch.hpp>

#include "tests/support/inferred.hpp"

namespace ortool::test {
namespace {

std::string ml(std::string_view node, std::string_view inputs, std::int64_t opset = 5) {
  return inferred({.nodes = node, .inputs = inputs, .ml_opset = opset});
}

void check_refused(const std::string& answer, const std::string& part) {
  CHECK_THAT(answer, Catch::StartsWith("invalid: ") && Catch::Contains(part));
}

TEST_CASE("features are picked, scaled and replaced", "[ops]") {
  CHECK(ml("y = ai.onnx.ml.ArrayFeatureExtractor(x, i)", "double[N, 5] x, int64[2, 3] i") ==
        "float64[N x 6]");
  CHECK(ml("y = ai.onnx.ml.ArrayFeatureExtractor(x, i)", "string[5] x, int64[2] i") ==
        "string[1 x 2]");
  check_refused(ml("y = ai.onnx.ml.ArrayFeatureExtractor(x, i)", "float x, int64[2] i"), "scalar");
  CHECK(ml("y = ai.onnx.ml.Binarizer <threshold = 1.0> (x)", "int32[N, 2] x") == "int32[N x 2]");
  CHECK(ml("y = ai.onnx.ml.Normalizer <norm = \"L2\"> (x)", "int64[N, 2] x") == "float32[N x 2]");
  check_refused(ml("y = ai.onnx.ml.Normalizer <norm = \"L3\"> (x)", "float[N, 2] x"),
                "'norm' is 'L3' (expected one of MAX, L1, L2)");
  CHECK(ml("y = ai.onnx.ml.Scaler <scale = [2.0], offset = [1.0]> (x)", "double[N, 7] x") ==
        "float32[N x 7]");
  check_refused(
      ml("y = ai.onnx.ml.Scaler <scale = [2.0, 3.0], offset = [1.0, 2.0]> (x)", "double[N, 7] x"),
      "the number of features is 7 (expected 2)");
  check_refused(
      ml("y = ai.onnx.ml.Scaler <scale = [2.0, 3.0], offset = [1.0]> (x)", "double[N, 2] x"),
      "'offset' has 1 elements (expected 2");
  check_refused(ml("y = ai.onnx.ml.Scaler(x)", "double[N, 2] x"), "'scale' has no elements");
  CHECK(ml("y = ai.onnx.ml.Imputer <imputed_value_floats = [1.0, 2.0]> (x)", "float[N, 2] x") ==
        "float32[N x 2]");
  check_refused(ml("y = ai.onnx.ml.Imputer <imputed_value_floats = [1.0]> (x)", "int64[N, 2] x"),
                "the input is int64, but imputed_value_floats is given");
  check_refused(ml("y = ai.onnx.ml.Imputer(x)", "float[N, 2] x"), "none of imputed_value_floats");
  check_refused(
      ml("y = ai.onnx.ml.Imputer <imputed_value_floats = [1.0], imputed_value_int64s = [1]> (x)",
         "float[N, 2] x"),
      "both of imputed_value_floats");
}

TEST_CASE("groups of features stand side by side", "[ops]") {
  CHECK(ml("y = ai.onnx.ml.FeatureVectorizer <inputdimensions = [3, 4]> (a, b)",
           "float[N, 3] a, float[N, 2] b") == "float32[N x 7]");
  CHECK(ml("y = ai.onnx.ml.FeatureVectorizer(a, b)", "int32[5, 3] a, int32[N, K] b") ==
        "float32[5 x (K + 3)]");
  check_refused(ml("y = ai.onnx.ml.FeatureVectorizer <inputdimensions = [3]> (a, b)",
                   "float[N, 3] a, float[N, 2] b"),
                "'inputdimensions' has 1 elements (expected 2");
  check_refused(
      ml("y = ai.onnx.ml.FeatureVectorizer <inputdimensions = [-3]> (a)", "float[N, 3] a"),
      "inputdimensions holds -3");
  check_refused(ml("y = ai.onnx.ml.FeatureVectorizer(a, b)", "float[2, 3] a, float[3, 2] b"),
                "2 and 3");
}

TEST_CASE("labels are looked up in tables", "[ops]") {
  CHECK(ml("y = ai.onnx.ml.CategoryMapper <cats_int64s = [1], cats_strings = [\"a\"]> (x)",
           "int64[N] x") == "string[N]");
  check_refused(
      ml("y = ai.onnx.ml.CategoryMapper <cats_int64s = [1, 2], cats_strings = [\"a\"]> (x)",
         "int64[N] x"),
      "'cats_strings' has 1 elements (expected 2");
  CHECK(ml("y = ai.onnx.ml.LabelEncoder <classes_strings = [\"a\"]> (x)", "string[N] x", 1) ==
        "int64[N]");
  CHECK(ml("y = ai.onnx.ml.LabelEncoder <keys_strings = [\"a\"], values_floats = [1.0]> (x)",
           "string[N] x", 2) == "float32[N]");
  CHECK(ml("y = ai.onnx.ml.LabelEncoder <keys_tensor = int16[2] {1, 2}, values_tensor = double[2] "
           "{1, 2}, default_tensor = double[1] {7}> (x)",
           "int16[2, 3] x") == "float64[2 x 3]");
  check_refused(ml("y = ai.onnx.ml.LabelEncoder <keys_int64s = [1]> (x)", "int64 x", 2),
                "0 of the attributes 'values_");
  check_refused(ml("y = ai.onnx.ml.LabelEncoder <keys_int64s = [1, 2], values_floats = [1.0]> (x)",
                   "int64 x", 2),
                "2 keys for 1 values");
  check_refused(ml("y = ai.onnx.ml.LabelEncoder <keys_int64s = [1], values_floats = [1.0]> (x)",
                   "string x", 2),
                "the input is string, but the keys are int64");
  check_refused(
      ml("y = ai.onnx.ml.LabelEncoder <keys_tensor = int8[1] {1}, values_floats = [1.0]> (x)",
         "int64 x"),
      "'keys_tensor' is int8");
  check_refused(ml("y = ai.onnx.ml.LabelEncoder <keys_tensor = int64[1, 1] {1}, values_floats = "
                   "[1.0]> (x)",
                   "int64 x"),
                "of shape 1x1");
  check_refused(ml("y = ai.onnx.ml.LabelEncoder <keys_int64s = [1], values_floats = [1.0], "
                   "default_tensor = float[2] {1, 2}> (x)",
                   "int64 x"),
                "'default_tensor' is float32 of shape 2");
}

TEST_CASE("categories become an axis and labels keys of maps", "[ops]") {
  CHECK(ml("y = ai.onnx.ml.OneHotEncoder <cats_int64s = [1, 4]> (x)", "double[N, 3] x") ==
        "float32[N x 3 x 2]");
  check_refused(ml("y = ai.onnx.ml.OneHotEncoder <cats_int64s = [1]> (x)", "string[N] x"),
                "the input is string, but the categories are int64");
  check_refused(ml("y = ai.onnx.ml.OneHotEncoder(x)", "int64[N] x"), "neither 'cats_int64s' nor");
  CHECK(ml("y = ai.onnx.ml.ZipMap <classlabels_strings = [\"a\", \"b\"]> (x)", "float[N, 2] x") ==
        "sequence(map(string, float32[scalar]))");
  check_refused(ml("y = ai.onnx.ml.ZipMap <classlabels_int64s = [1]> (x)", "float[N, 2] x"),
                "the number of features is 2 (expected 1)");
  check_refused(ml("y = ai.onnx.ml.ZipMap <classlabels_int64s = [1], classlabels_strings = "
                   "[\"a\"]> (x)",
                   "float[N, 1] x"),
                "both 'classlabels_int64s' and");
}

TEST_CASE("maps become rows", "[ops]") {
  CHECK(ml("y = ai.onnx.ml.CastMap <cast_to = \"TO_INT64\"> (x)", "map(int64, float) x") ==
        "int64[1 x ?]");
  CHECK(ml("y = ai.onnx.ml.CastMap <map_form = \"SPARSE\", max_map = 9> (x)",
           "map(int64, string) x") == "float32[1 x 9]");
  check_refused(
      ml("y = ai.onnx.ml.CastMap <map_form = \"SPARSE\", max_map = 0> (x)", "map(int64, string) x"),
      "max_map is 0");
  check_refused(ml("y = ai.onnx.ml.CastMap(x)", "map(string, float) x"), "does not accept");
  CHECK(ml("y = ai.onnx.ml.DictVectorizer <string_vocabulary = [\"a\", \"b\"]> (x)",
           "map(string, int64) x") == "int64[1 x 2]");
  check_refused(
      ml("y = ai.onnx.ml.DictVectorizer <int64_vocabulary = [1]> (x)", "map(string, int64) x"),
      "the keys of the map are string, but the vocabulary is int64");
}

TEST_CASE("linear models share their coefficients out", "[ops]") {
  CHECK(ml("l, s = ai.onnx.ml.LinearClassifier <classlabels_ints = [3, 4, 5], coefficients = [1.0, "
           "2.0, 3.0], intercepts = [0.0, 1.0, 2.0]> (x)",
           "float[N, 1] x") == "int64[N], float32[N x 3]");
  CHECK(ml("l, s = ai.onnx.ml.LinearClassifier <classlabels_strings = [\"a\", \"b\"], coefficients "
           "= [1.0, 2.0, 3.0], intercepts = [0.5]> (x)",
           "float[3] x") == "string[1], float32[1 x 2]");
  check_refused(ml("l, s = ai.onnx.ml.LinearClassifier <classlabels_ints = [3, 4], coefficients = "
                   "[1.0, 2.0, 3.0]> (x)",
                   "float[N, 1] x"),
                "3 elements, which cannot be divided evenly among 2 rows");
  check_refused(ml("l, s = ai.onnx.ml.LinearClassifier <classlabels_ints = [3, 4], coefficients = "
                   "[1.0, 2.0, 3.0], intercepts = [1.0, 2.0, 3.0]> (x)",
                   "float[N, 1] x"),
                "3 intercepts for 2 classes");
  CHECK(ml("y = ai.onnx.ml.LinearRegressor <coefficients = [1.0, 2.0], targets = 2> (x)",
           "int64[N, 1] x") == "float32[N x 2]");
  check_refused(ml("y = ai.onnx.ml.LinearRegressor <coefficients = [1.0, 2.0], targets = 2> (x)",
                   "int64[N, 2] x"),
                "the number of features is 2 (expected 1)");
  check_refused(ml("y = ai.onnx.ml.LinearRegressor <coefficients = [1.0], targets = -1> (x)",
                   "int64[N, 1] x"),
                "among -1 rows");
  check_refused(ml("y = ai.onnx.ml.LinearRegressor(x)", "int64[N, 1] x"), "has no elements");
}

TEST_CASE("support vector machines check their many lists", "[ops]") {
  const std::string three =
      "classlabels_ints = [1, 2, 3], coefficients = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "
      "support_vectors = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], ";
  const auto svm = [&](const std::string& more) {
    return ml("l, s = ai.onnx.ml.SVMClassifier <" + three + more + "> (x)", "float[N, 2] x");
  };
  CHECK(svm("vectors_per_class = [1, 1, 1], rho = [0.0, 0.0, 0.0]") == "int64[N], float32[N x 3]");
  check_refused(svm("vectors_per_class = [1, 1, 1], rho = [0.0]"),
                "'rho' has 1 elements (expected 3");
  check_refused(svm("vectors_per_class = [3, 0], rho = [0.0]"),
                "'vectors_per_class' has 2 elements");
  check_refused(svm("vectors_per_class = [-1, 2, 2], rho = [0.0]"),
                "vectors_per_class contains -1");
  check_refused(svm("vectors_per_class = [9223372036854775807, 2, 2], rho = [0.0]"),
                "vectors_per_class contains 9223372036854775807");
  check_refused(svm("vectors_per_class = [2, 1, 1], rho = [0.0]"), "cannot be divided evenly among 4");
  check_refused(svm("vectors_per_class = [1, 1, 1], rho = [0.0, 0.0, 0.0], prob_a = [1.0]"),
                "'prob_b' has 0 elements (expected 1");
  check_refused(svm("vectors_per_class = [1, 1, 1], rho = [0.0, 0.0, 0.0], kernel_params = [1.0]"),
                "'kernel_params' has 1 elements (expected 3");
  check_refused(svm("vectors_per_class = [1, 1, 1], rho = [0.0, 0.0, 0.0], kernel_type = \"X\""),
                "'kernel_type' is 'X'");
  CHECK(svm("rho = [0.0]") == "int64[N], float32[N x 3]");
  const std::string four =
      "l, s = ai.onnx.ml.SVMClassifier <classlabels_ints = [1, 2, 3, 4], coefficients = [1.0, 2.0, "
      "3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0], support_vectors = [1.0, 2.0, 3.0, "
      "4.0], "
      "vectors_per_class = [1, 1, 1, 1], rho = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]";
  CHECK(ml(four + "> (x)", "float[N, 1] x") == "int64[N], float32[N x 6]");
  const std::string six = "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]";
  CHECK(ml(four + ", prob_a = " + six + ", prob_b = " + six + "> (x)", "float[N, 1] x") ==
        "int64[N], float32[N x 4]");
  CHECK(ml("y = ai.onnx.ml.SVMRegressor <coefficients = [1.0, 2.0], support_vectors = [1.0, 2.0, "
           "3.0, 4.0, 5.0, 6.0], n_supports = 2, rho = [0.0]> (x)",
           "float[N, 3] x") == "float32[N x 1]");
  check_refused(ml("y = ai.onnx.ml.SVMRegressor <coefficients = [1.0], n_supports = "
                   "9223372036854775807, rho = [0.0]> (x)",
                   "float[N, 3] x"),
                "0 elements, which cannot be divided evenly among 9223372036854775807");
  check_refused(ml("y = ai.onnx.ml.SVMRegressor <coefficients = [1.0], n_supports = -1, rho = "
                   "[0.0]> (x)",
                   "float[N, 3] x"),
                "n_supports is -1");
}

}  // namespace
}  // namespace ortool::test
