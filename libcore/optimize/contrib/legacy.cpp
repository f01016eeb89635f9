// Decompositions of com.microsoft's copies of ONNX operators and of its small functions.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/legacy/bias_functions.hpp"
#include "libcore/ops/contrib/legacy/matrix_functions.hpp"
#include "libcore/ops/contrib/legacy/small_functions.hpp"
#include "libcore/ops/contrib/legacy/window_functions.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"
#include "libcore/tensor/convert.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

Results legacy_pad(Decomposition& out) {
  Value* pads = out.input(1);
  if (out.rank(1) != 1) pads = &reshape(out, *pads, std::vector<std::int64_t>{-1});
  Value* value = out.input(2);
  if (value != nullptr && out.rank(2) != 0) value = &reshape(out, *value, {});
  return {&add_since(out, opset_of_input("Pad", "pads"), "Pad", {out.input(0), pads, value},
                     out.attributes_but({}))};
}

Results legacy_trilu(Decomposition& out) {
  return {&add_since(out, opset_of("Trilu"), "Trilu", {out.input(0), out.input(1)},
                     out.attributes_but({}))};
}

Results legacy_unique(Decomposition& out) {
  const std::vector<Value*> made =
      add_many_since(out, opset_of("Unique"), "Unique", {out.input(0)}, 4,
                     plain_attributes({{"sorted", std::int64_t{0}}}));
  return {made[0], made[2], made[3]};
}

Results legacy_gather_nd(Decomposition& out) {
  Value* indices = out.input(1);
  if (out.element(1) != DataType::int64) indices = &cast_to(out, *indices, DataType::int64);
  const DataType type = out.element(0);
  if (type == DataType::undefined) return {};
  return {&add_since(out, opset_of_type("GatherND", "data", type), "GatherND",
                     {out.input(0), indices})};
}

Results legacy_range(Decomposition& out) {
  const DataType type = out.element(0);
  if (type == DataType::undefined) return {};
  Value* step = out.input(2) != nullptr ? out.input(2) : &scalar(out, type, 1);
  return {&add_since(out, opset_of("Range"), "Range", {out.input(0), out.input(1), step})};
}

Results legacy_grid_sample(Decomposition& out) {
  constexpr std::int64_t opset_of_new_modes = 20;
  const std::int64_t opset = out.opset();
  if (opset >= opset_of("GridSample") && opset < opset_of_new_modes)
    return {&out.add("GridSample", {out.input(0), out.input(1)}, out.attributes_but({}))};
  std::vector<Attribute> given = out.attributes_but({});
  for (Attribute& each : given) {
    auto* text = std::get_if<std::string>(&each.value);
    if (each.name != "mode" || text == nullptr) continue;
    if (*text == "bilinear") *text = "linear";
    if (*text == "bicubic") *text = "cubic";
  }
  return {&add_since(out, opset_of_new_modes, "GridSample", {out.input(0), out.input(1)},
                     std::move(given))};
}

Results expand_dims(Decomposition& out) {
  Value* axis = out.input(1);
  if (axis->is_constant()) {
    axis = &out.integers(integers_of(axis->constant()));
  } else {
    axis = &reshape(out, cast_to(out, *axis, DataType::int64), std::vector<std::int64_t>{1});
  }
  return {&add_since(out, opset_without_attribute("Unsqueeze", "axes"), "Unsqueeze",
                     {out.input(0), axis})};
}

Results torch_embedding(Decomposition& out) {
  return {&out.add("Gather", {out.input(0), out.input(1)})};
}

Results sample_op(Decomposition& out) {
  return {&out.add("Identity", {out.input(0)})};
}

Results sparse_to_dense(Decomposition& out) {
  const auto op = read_op<SparseToDenseMatMul>(out.node());
  if (out.rank(1) < 2) return {};
  Value* a = out.input(0);
  Value* b = out.input(1);
  if (op.transpose_a) a = &transpose(out, *a, {1, 0});
  if (op.transpose_b) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(out.rank(1)));
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::swap(order[order.size() - 2], order.back());
    b = &transpose(out, *b, std::move(order));
  }
  Value& product = out.add("MatMul", {a, b});
  if (op.alpha == 1) return {&product};
  return {&out.add("Mul", {&product, &scalar(out, out.element(1), static_cast<double>(op.alpha))})};
}

Results gemm_fast_gelu(Decomposition& out) {
  Value* sum = &out.add("MatMul", {out.input(0), out.input(1)});
  if (out.input(2) != nullptr) sum = &out.add("Add", {sum, out.input(2)});
  return {&out.add_own("Gelu", {sum}, plain_attributes({{"approximate", std::string("tanh")}}))};
}

Results bias_add(Decomposition& out) {
  Value& sum = out.add("Add", {out.input(0), out.input(1)});
  return {&out.add("Add", {&sum, out.input(2)})};
}

Results bias_softmax(Decomposition& out) {
  const std::int64_t rank = out.rank(0);
  if (rank < 0) return {};
  const std::int64_t axis =
      normalize_axis(read_op<BiasSoftmax>(out.node()).axis, std::max<std::int64_t>(rank, 1));
  Value& sum = out.add("Add", {out.input(0), out.input(1)});
  if (axis == rank - 1) return {&out.add("Softmax", {&sum}, plain_attributes({{"axis", axis}}))};
  Value& rows = out.add("Flatten", {&sum}, plain_attributes({{"axis", axis}}));
  Value& normal = out.add("Softmax", {&rows}, plain_attributes({{"axis", std::int64_t{1}}}));
  return {&out.add("Reshape", {&normal, &out.add("Shape", {out.input(0)})})};
}

/// The bits of a mask in numbers of 32; those past its end are 1.
Value& packed_bits(Decomposition& out, Value& mask, Value& data) {
  constexpr std::int64_t bits = 32;
  const std::vector<std::int64_t> one = {1};
  Value& flat = cast_to(out, reshape(out, mask, std::vector<std::int64_t>{-1}), DataType::int64);
  Value& missing = out.add("Neg", {&reshape(out, out.add("Size", {&data}), one)});
  Value& behind = out.add("Mod", {&missing, &integer_scalar(out, bits)});
  Value& pads = out.add("Concat", {&out.integers(std::vector<std::int64_t>{0}), &behind},
                        plain_attributes({{"axis", std::int64_t{0}}}));
  Value& whole =
      add_since(out, opset_of_input("Pad", "pads"), "Pad", {&flat, &pads, &integer_scalar(out, 1)});
  std::vector<std::int64_t> weights;
  for (std::int64_t i = 0; i < bits; ++i) weights.push_back(std::int64_t{1} << i);
  Value& rows = reshape(out, whole, std::vector<std::int64_t>{-1, bits});
  Value& sum =
      reduce(out, "ReduceSum", out.add("Mul", {&rows, &out.integers(weights)}), {1}, false);
  return cast_to(out, sum, DataType::uint32);
}

/// Dropout of x by the ratio and mode at these inputs; a mask where the node has one.
Results dropped(Decomposition& out, Value& x, std::int64_t ratio, bool packs_mask) {
  Value* mode = out.input(ratio + 1);
  if (mode == nullptr && !out.has_output(1)) return {&x, nullptr};
  constexpr std::int64_t opset_of_modes = 13;
  std::vector<Value*> made = add_many_since(
      out, opset_of_modes, "Dropout", {&x, mode != nullptr ? out.input(ratio) : nullptr, mode}, 2,
      out.attributes_but({}));
  if (packs_mask && out.has_output(1)) made[1] = &packed_bits(out, *made[1], x);
  return made;
}

template <bool packs_mask>
Results bias_dropout(Decomposition& out) {
  Value& sum = out.add("Add", {out.input(0), out.input(1)});
  Results made = dropped(out, sum, 3, packs_mask);
  if (out.input(2) != nullptr) made[0] = &out.add("Add", {made[0], out.input(2)});
  return made;
}

Results bitmask_dropout(Decomposition& out) {
  Value& x = out.add("Identity", {out.input(0)});
  return dropped(out, x, 1, true);
}

/// In float32, and rounded at the end.
Results scaled_silu(Decomposition& out) {
  const auto op = read_op<ScaledSiLU>(out.node());
  const DataType type = out.element(0);
  if (type == DataType::undefined) return {};
  Value* x = &widened(out, *out.input(0), type);
  Value* scale = out.input(1);
  if (scale != nullptr) {
    if (out.rank(1) != 0) scale = &reshape(out, *scale, {});
    x = &out.add("Mul", {x, &widened(out, *scale, out.element(1))});
  } else if (op.alpha != 1) {
    x = &out.add("Mul", {x, &scalar(out, DataType::float32, static_cast<double>(op.alpha))});
  }
  Value& made = out.add_own("Swish", {x});
  return {type == DataType::float32 ? &made : &cast_to(out, made, type)};
}

Results is_all_finite(Decomposition& out) {
  const auto op = read_op<IsAllFinite>(out.node());
  constexpr std::int64_t opset_of_all_floats = 20;
  Value* count = nullptr;
  for (std::int64_t i = 0; i < out.node().input_count(); ++i) {
    Value* bad = nullptr;
    if (!op.ignores_nan) bad = &add_since(out, opset_of_all_floats, "IsNaN", {out.input(i)});
    if (!op.ignores_infinity) {
      Value& infinite = add_since(out, opset_of_all_floats, "IsInf", {out.input(i)});
      bad = bad == nullptr ? &infinite : &out.add("Or", {bad, &infinite});
    }
    Value& sum = reduce(out, "ReduceSum", cast_to(out, *bad, DataType::int64), {}, false);
    count = count == nullptr ? &sum : &out.add("Add", {count, &sum});
  }
  return {&out.add("Equal", {count, &integer_scalar(out, 0)})};
}

Results unfold_tensor(Decomposition& out) {
  const std::int64_t rank = out.rank(0);
  if (rank < 1) return {};
  const auto op = read_op<UnfoldTensor>(out.node());
  const std::int64_t axis = normalize_axis(op.axis, rank);
  Value& size = out.add("Gather", {&out.add("Shape", {out.input(0)}), &integer_scalar(out, axis)});
  Value& limit = out.add("Sub", {&size, &integer_scalar(out, op.size - 1)});
  Value& starts = add_since(out, opset_of("Range"), "Range",
                            {&integer_scalar(out, 0), &limit, &integer_scalar(out, op.step)});
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(op.size));
  std::iota(offsets.begin(), offsets.end(), std::int64_t{0});
  Value& indices = out.add("Add", {&unsqueeze(out, starts, 1), &out.integers(offsets)});
  Value& slices = out.add("Gather", {out.input(0), &indices}, plain_attributes({{"axis", axis}}));
  if (axis == rank - 1) return {&slices};
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank) + 1);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::rotate(order.begin() + axis + 1, order.begin() + axis + 2, order.end());
  return {&transpose(out, slices, std::move(order))};
}

Results conv_transpose(Decomposition& out) {
  const auto op = read_op<ConvTransposeWithDynamicPads>(out.node());
  Value* pads = op.window.auto_pad == AutoPad::not_set ? out.input(2) : nullptr;
  std::vector<Attribute> given = out.attributes_but({});
  if (pads != nullptr && pads->is_constant()) {
    given.push_back(integers_attribute("pads", integers_of(pads->constant())));
    pads = nullptr;
  }
  const std::int64_t axes = std::max(out.rank(0), out.rank(1)) - 2;
  if (pads != nullptr && axes < 1) return {};
  Value& whole =
      out.add("ConvTranspose", {out.input(0), out.input(1), out.input(3)}, std::move(given));
  if (pads == nullptr) return {&whole};
  std::vector<std::int64_t> cut(static_cast<std::size_t>(axes));
  std::iota(cut.begin(), cut.end(), std::int64_t{2});
  Value& sizes = slice_axis(out, out.add("Shape", {&whole}), 0, 2, axes + 2);
  Value& ends = out.add("Sub", {&sizes, &slice_axis(out, *pads, 0, axes, 2 * axes)});
  return {&add_since(out, opset_without_attribute("Slice", "starts"), "Slice",
                     {&whole, &slice_axis(out, *pads, 0, 0, axes), &ends, &out.integers(cut)})};
}

}  // namespace

std::span<const DecompositionRow> legacy_decompositions() {
  static constexpr DecompositionRow rows[] = {
      {"BiasAdd", bias_add},
      {"BiasDropout", bias_dropout<false>, 2},
      {"BiasSoftmax", bias_softmax},
      {"BitmaskBiasDropout", bias_dropout<true>, 2},
      {"BitmaskDropout", bitmask_dropout, 2},
      {"ConvTransposeWithDynamicPads", conv_transpose},
      {"ExpandDims", expand_dims},
      {"GatherND", legacy_gather_nd},
      {"GemmFastGelu", gemm_fast_gelu},
      {"GridSample", legacy_grid_sample},
      {"IsAllFinite", is_all_finite},
      {"Pad", legacy_pad},
      {"Range", legacy_range},
      {"SampleOp", sample_op},
      {"MemcpyFromHost", sample_op, 1, ""},
      {"MemcpyToHost", sample_op, 1, ""},
      {"ScaledSiLU", scaled_silu},
      {"SparseToDenseMatMul", sparse_to_dense},
      {"TorchEmbedding", torch_embedding},
      {"Trilu", legacy_trilu},
      {"UnfoldTensor", unfold_tensor},
      {"Unique", legacy_unique, 3},
  };
  return rows;
}

}  // namespace ortool
