// What stands around a matrix product goes into Gemm; Einsum becomes MatMul.
#include <algorithm>
#include <optional>
#include <string>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/math/einsum.hpp"
#include "libcore/ops/math/gemm.hpp"
#include "libcore/optimize/rules.hpp"
#include "libcore/optimize/value_facts.hpp"
#include "libcore/optimize/write_node.hpp"

namespace ortool {
namespace {

/// Before it C was broadcast by an attribute.
constexpr std::int64_t opset_with_broadcasting = 7;

bool is_turned_matrix(const Node& transpose) {
  return order_of(transpose) == Integers{1, 0};
}

/// Whether a sum over floats of one type comes out.
bool is_float_gemm(const Value& value) {
  const DataType type = element_of(value);
  return type == DataType::float32 || type == DataType::float16 || type == DataType::float64;
}

NewAttributes flags_of(const Gemm& gemm, bool turns_a, bool turns_b) {
  NewAttributes attributes;
  attributes.push_back({"transA", std::int64_t{gemm.transpose_a != turns_a}});
  attributes.push_back({"transB", std::int64_t{gemm.transpose_b != turns_b}});
  return attributes;
}

/// An Einsum that multiplies matrices: a prefix of shared axes, one axis of each operand alone, one
/// that is summed.
struct MatrixForm {
  Integers order_a;  ///< to batch, row, sum
  Integers order_b;  ///< to batch, sum, column
};

std::optional<MatrixForm> matrix_form(const Einsum& einsum) {
  if (einsum.inputs.size() != 2 || einsum.output.ellipsis >= 0) return std::nullopt;
  const std::string& a = einsum.inputs[0].letters;
  const std::string& b = einsum.inputs[1].letters;
  const std::string& out = einsum.output.letters;
  if (einsum.inputs[0].ellipsis >= 0 || einsum.inputs[1].ellipsis >= 0 || out.size() < 2 ||
      a.size() != out.size() || b.size() != out.size())
    return std::nullopt;
  const auto has_repeats = [](std::string text) {
    std::sort(text.begin(), text.end());
    return std::adjacent_find(text.begin(), text.end()) != text.end();
  };
  if (has_repeats(a) || has_repeats(b) || has_repeats(out)) return std::nullopt;
  const std::size_t batch = out.size() - 2;
  const char row = out[batch];
  const char column = out[batch + 1];
  char summed = 0;
  for (const char letter : a) {
    if (out.find(letter) == std::string::npos) summed = letter;
  }
  if (summed == 0 || b.find(summed) == std::string::npos || a.find(column) != std::string::npos ||
      b.find(row) != std::string::npos)
    return std::nullopt;
  const auto order = [&](const std::string& letters, char first, char second) {
    Integers places;
    for (const char letter : out.substr(0, batch) + first + second) {
      const std::size_t place = letters.find(letter);
      if (place == std::string::npos) return Integers();
      places.push_back(static_cast<std::int64_t>(place));
    }
    return places;
  };
  MatrixForm form{order(a, row, summed), order(b, summed, column)};
  if (form.order_a.empty() || form.order_b.empty()) return std::nullopt;
  return form;
}

Value& turned(Replacement& replacement, Value& x, const Integers& order) {
  return std::is_sorted(order.begin(), order.end()) ? x : add_transpose(replacement, x, order);
}

}  // namespace

Rule fuse_matmul_add() {
  return {
      .name = "fuse-matmul-add",
      .summary = "MatMul(a, b) + c of matrices -> Gemm(a, b, c)",
      .is_for_files = true,
      .pattern = op("Add", {op("MatMul", {any("a"), any("b")}).as("product"), any("c")}),
      .where =
          [](const Match& match) {
            if (match.graph().opset("") < opset_with_broadcasting)
              return no("operands are broadcast by an attribute before opset 7");
            if (rank_of(match["a"]) != 2 || rank_of(match["b"]) != 2)
              return no("the operands are not known to be matrices");
            if (!is_float_gemm(match["product"])) return no("it is not made of floats");
            const Dimensions* c = dimensions_of(match["c"]);
            const Dimensions* product = dimensions_of(match["product"]);
            if (c == nullptr || product == nullptr || !broadcasts_into(*c, *product))
              return no("nothing says that what is added broadcasts to the product");
            return yes();
          },
      .replace = [](Replacement& replacement) -> Value& {
        return replacement.add("Gemm", {&replacement["a"], &replacement["b"], &replacement["c"]});
      }};
}

Rule fuse_gemm_transpose() {
  const auto transpose = [](const char* name) {
    return op("Transpose", {any(name)})
        .as(std::string("turned_") + name)
        .where_node(is_turned_matrix)
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
            const bool turns_a = match.find("turned_a") != nullptr;
            const bool turns_b = match.find("turned_b") != nullptr;
            return replacement.add_like(match.root(), {&match["a"], &match["b"], match.find("c")},
                                        flags_of(read_op<Gemm>(match.root()), turns_a, turns_b));
          }};
}

Rule fuse_gemm_scale() {
  const Pattern product = op("Gemm", {any("a"), any("b")}).as("product");
  return {.name = "fuse-gemm-scale",
          .summary = "Gemm(a, b) times a number -> Gemm with alpha",
          .pattern = any_of(
              {op("Mul", {product, scalar("factor")}), op("Div", {product, scalar("divisor")})}),
          .where =
              [](const Match& match) {
                return have_equal_types(match["product"], match.result())
                           ? yes()
                           : no("nothing says that the shape stays the same");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const Match& match = replacement.match();
            const double factor = match.find("factor") != nullptr ? match.number("factor")
                                                                  : 1 / match.number("divisor");
            const double alpha = static_cast<double>(read_op<Gemm>(match.node("product")).alpha);
            return replacement.add_like(match.node("product"), {&match["a"], &match["b"]},
                                        {{"alpha", static_cast<float>(alpha * factor)}});
          }};
}

Rule replace_einsum() {
  return {.name = "replace-einsum",
          .summary = "Einsum that multiplies matrices -> MatMul",
          .pattern = op("Einsum", {any("a"), any("b")}),
          .where =
              [](const Match& match) {
                if (!matrix_form(read_op<Einsum>(match.root())))
                  return no("its formula is no product of matrices");
                const Dimensions* a = dimensions_of(match["a"]);
                const Dimensions* b = dimensions_of(match["b"]);
                const MatrixForm form = *matrix_form(read_op<Einsum>(match.root()));
                if (a == nullptr || b == nullptr) return no("the ranks are not known");
                const auto at = [](const Dimensions& dimensions, std::int64_t axis) {
                  return dimensions[static_cast<std::size_t>(axis)];
                };
                if (!are_equal(at(*a, form.order_a.back()),
                               at(*b, form.order_b[form.order_b.size() - 2])))
                  return no("nothing says that the summed axes are of one size");
                return is_float_tensor(match["a"]) ? yes() : no("it is not made of floats");
              },
          .replace = [](Replacement& replacement) -> Value& {
            const MatrixForm form = *matrix_form(read_op<Einsum>(replacement.match().root()));
            Value& a = turned(replacement, replacement["a"], form.order_a);
            Value& b = turned(replacement, replacement["b"], form.order_b);
            return replacement.add("MatMul", {&a, &b});
          }};
}

}  // namespace ortool
