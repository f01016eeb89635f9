// Random sizes of matrices and windows.
#include "libcore/base/format.hpp"
#include "libcore/ops/own_domain.hpp"
#include "tests/ops/product_builders.hpp"

namespace ortool::test {
namespace {

std::string list_of(const Sizes& sizes) {
  std::string text;
  for (const std::int64_t size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

}  // namespace

OpCase case_of(std::string nodes, std::vector<CaseTensor> inputs) {
  OpCase made;
  made.nodes = std::move(nodes);
  made.opsets[""] = own_opset;
  made.opsets["com.microsoft"] = 1;
  made.inputs = std::move(inputs);
  made.outputs.push_back({"y", Tensor()});
  return made;
}

Sizes joined(Sizes batch, std::int64_t rows, std::int64_t columns) {
  batch.push_back(rows);
  batch.push_back(columns);
  return batch;
}

MatMulSizes matmul_sizes(ProductCases& random) {
  const std::int64_t m = random.rows();
  const std::int64_t k = random.depth();
  const std::int64_t n = random.columns();
  const std::int64_t batch = random.number(1, 4);
  switch (random.number(0, 8)) {
    case 0:
      return {{k}, {k, n}};
    case 1:
      return {{m, k}, {k}};
    case 2:
      return {joined({batch}, m, k), {k, n}};
    case 3:
      return {joined({batch}, m, k), joined({batch}, k, n)};
    case 4:
      return {joined({batch, 1}, m, k), joined({2}, k, n)};
    case 5:
      return {{m, k}, joined({batch}, k, n)};
    case 6:
      return {joined({2, batch}, m, k), joined({1, 1}, k, n)};
    default:
      return {{m, k}, {k, n}};
  }
}

WindowSizes window_sizes(ProductCases& random, bool is_transposed) {
  WindowSizes sizes;
  const std::int64_t axes = random.one_of({1, 2, 2, 2, 3});
  const bool is_large = axes == 2 && random.chance(25);
  const bool is_depthwise = random.chance(20);
  const std::int64_t in = is_large ? random.one_of({16, 32, 48}) : random.number(1, 20);
  const std::int64_t out = is_large ? random.one_of({32, 40, 64}) : random.number(1, 40);
  sizes.groups = is_depthwise ? in : (in % 2 == 0 && random.chance(20) ? 2 : 1);
  const std::int64_t kernel = is_large ? 3 : random.one_of({1, 1, 2, 3, 5});
  const std::int64_t stride = is_large ? 1 : random.number(1, 2);
  const std::int64_t pad = kernel / 2;
  const std::int64_t width = is_large ? random.number(40, 44) : random.number(kernel, 12);
  sizes.x = {random.number(1, 2), in};
  const std::int64_t per_group = is_depthwise ? random.number(1, 2) : (out + 1) / sizes.groups;
  sizes.weights =
      is_transposed ? Sizes{in, per_group} : Sizes{per_group * sizes.groups, in / sizes.groups};
  Sizes strides;
  Sizes pads;
  for (std::int64_t i = 0; i < axes; ++i) {
    sizes.x.push_back(width);
    sizes.weights.push_back(kernel);
    strides.push_back(stride);
    pads.insert(pads.end(), {pad, pad});
  }
  sizes.attributes =
      format("group = {}, strides = {}, pads = {}", sizes.groups, list_of(strides), list_of(pads));
  return sizes;
}

}  // namespace ortool::test
