// Gemm fusion: additions and transposes around a matrix product.
#include <string>

#include "libcore/graph/graph.hpp"
#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/rewrite/value_facts.hpp"
#include "libcore/optimize/rewrite/write_node.hpp"
#include "libcore/optimize/rules/rules.hpp"

namespace ortool {
namespace {

bool is_transposed_matrix(const Node& transpose) {
  return order_of(transpose) == Integers{1, 0};
}

/// Whether the result has float elements of one type.
bool is_float_gemm(const Value& value) {
  const DataType type = element_of(value);
  return type == DataType::float32 || type == DataType::float16 || type == DataType::float64;
}

NewAttributes flags_of(const Gemm& gemm, bool transposes_a, bool transposes_b) {
  NewAttributes attributes;
  attributes.push_back({"transA", std::int64_t{gemm.transpose_a != transposes_a}});
  attributes.push_back({"transB", std::int64_t{gemm.transpose_b != transposes_b}});
  return attributes;
}

}  // namespace

Rule fuse_matmul_add() {
  return {
      .name = "fuse-matmul-add",
      .summary = "MatMul(a, b) + c of matrices -> Gemm(a, b, c)",
      .is_for_files = true,
      .pattern = op("Add", {op("MatMul", {any("a"), any("b")}).as("product"), any("c")}),
      .makes = {"Gemm"},
      .where =
          [](const Match& match) {
            if (match.graph().opset("") < opset_without_attribute("Gemm", "broadcast"))
              return no("before opset 7 an attribute controls broadcasting");
            if (rank_of(match["a"]) != 2 || rank_of(match["b"]) != 2)
              return no("the operands are not known to be matrices");
            if (!is_float_gemm(match["product"])) return no("its type is not a float");
            const Dimensions* c = dimensions_of(match["c"]);
            const Dimensions* product = dimensions_of(match["product"]);
            if (c == nullptr || product == nullptr || !broadcasts_into(*c, *product))
              return no("what is added is not known to broadcast to the product");
            return yes();
          },
      .replace = [](Replacement& replacement) -> Value& {
        return replacement.add("Gemm", {&replacement["a"], &replacement["b"], &replacement["c"]});
      }};
}

/// Only if this product is the Transpose's sole consumer: otherwise it stays and is computed
/// anyway.
Rule fuse_matmul_transpose() {
  const auto transpose = [](const char* name) {
    return op("Transpose", {any(name)})
        .as(std::string("turned_") + name)
        .where_node(is_transposed_matrix);
  };
  return {.name = "fuse-matmul-transpose",
          .summary = "MatMul of a transposed matrix -> Gemm with transA or transB",
          .pattern = any_of({op("MatMul", {transpose("a"), transpose("b")}),
                             op("MatMul", {transpose("a"), any("b")}),
                             op("MatMul", {any("a"), transpose("b")})}),
          .makes = {"Gemm"},
          .where =
              [](const Match& match) {
                if (match.graph().opset("") < opset_of_optional_input("Gemm", "C"))
                  return no("before opset 11 Gemm requires C");
                if (rank_of(match["a"]) != 2 || rank_of(match["b"]) != 2)
                  return no("the operands are not known to be matrices");
                return is_float_gemm(match["a"]) ? yes() : no("its type is not a float");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const bool transposes_a = match.find("turned_a") != nullptr;
            const bool transposes_b = match.find("turned_b") != nullptr;
            NewAttributes attributes;
            if (transposes_a) attributes.push_back({"transA", std::int64_t{1}});
            if (transposes_b) attributes.push_back({"transB", std::int64_t{1}});
            return replacement.add("Gemm", {&match["a"], &match["b"]}, std::move(attributes));
          }};
}

Rule fuse_gemm_transpose() {
  const auto transpose = [](const char* name) {
    return op("Transpose", {any(name)})
        .as(std::string("turned_") + name)
        .where_node(is_transposed_matrix)
        .shared();
  };
  const Pattern c = maybe(any("c"));
  return {.name = "fuse-gemm-transpose",
          .summary = "Gemm of a transposed matrix -> Gemm with transA or transB",
          .pattern = any_of({op("Gemm", {transpose("a"), transpose("b"), c}),
                             op("Gemm", {transpose("a"), any("b"), c}),
                             op("Gemm", {any("a"), transpose("b"), c})}),
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const bool transposes_a = match.find("turned_a") != nullptr;
            const bool transposes_b = match.find("turned_b") != nullptr;
            return replacement.add_like(
                match.root(), {&match["a"], &match["b"], match.find("c")},
                flags_of(read_op<Gemm>(match.root()), transposes_a, transposes_b));
          }};
}

Rule fuse_gemm_scale() {
  const Pattern product = op("Gemm", {any("a"), any("b"), maybe(any("c"))}).as("product");
  return {
      .name = "fuse-gemm-scale",
      .summary = "Gemm(a, b, c) times a number -> Gemm with alpha and beta",
      .pattern =
          any_of({op("Mul", {product, scalar("factor")}), op("Div", {product, scalar("divisor")})}),
      .where =
          [](const Match& match) {
            return have_equal_types(match["product"], match.result())
                       ? yes()
                       : no("the shape is not known to stay the same");
          },
      .replace = [](Replacement& replacement) -> Value& {
        const Match& match = replacement.match();
        const double factor =
            match.find("factor") != nullptr ? match.number("factor") : 1 / match.number("divisor");
        const auto gemm = read_op<Gemm>(match.node("product"));
        const auto scaled = [&](float number) {
          return static_cast<float>(static_cast<double>(number) * factor);
        };
        NewAttributes changed = {{"alpha", scaled(gemm.alpha)}};
        if (match.find("c") != nullptr) changed.push_back({"beta", scaled(gemm.beta)});
        return replacement.add_like(
            match.node("product"), {&match["a"], &match["b"], match.find("c")}, std::move(changed));
      }};
}

}  // namespace ortool
