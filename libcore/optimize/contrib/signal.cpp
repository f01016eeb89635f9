// Decomposition of StftNorm into ONNX's STFT, and the sum of squares of what it gives.
#include <cstdint>
#include <vector>

#include "libcore/ops/catalog.hpp"
#include "libcore/ops/contrib/signal/stft_norm.hpp"
#include "libcore/ops/version_facts.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/contrib/decomposition.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

Value& pad_zeros(Decomposition& out, Value& x, std::vector<Value*> pads) {
  Value& all = out.add("Concat", std::move(pads), plain_attributes({{"axis", std::int64_t{0}}}));
  return add_since(out, opset_of_input("Pad", "pads"), "Pad", {&x, &all});
}

Results stft_norm(Decomposition& out) {
  const auto op = read_op<extensions::StftNorm>(out.node());
  const auto integers = [&](std::vector<std::int64_t> values) { return &out.integers(values); };
  // ONNX's frames are as long as their window, and lie within the signal.
  Value& size = reshape(out, *out.input(1), std::vector<std::int64_t>{1});
  Value& length = out.add("Shape", {out.input(3)});
  Value& before = out.add("Div", {&length, integers({2})});
  Value& window = pad_zeros(out, *out.input(3), {integers({0}), &out.add("Sub", {&size, &length})});
  Value& signal = pad_zeros(
      out, reshape(out, *out.input(0), std::vector<std::int64_t>{1, -1, 1}),
      {integers({0}), &before, integers({0, 0}), &out.add("Sub", {&size, &before}), integers({0})});
  Value& frames = add_since(
      out, opset_of("STFT"), "STFT",
      {&signal, &reshape(out, *out.input(2), {}), &window, &reshape(out, *out.input(1), {})},
      plain_attributes({{"onesided", std::int64_t{op.onesided}}}));
  return {&transpose(out, reduce(out, "ReduceSumSquare", frames, {3}, false), {0, 2, 1})};
}

constexpr DecompositionRow signal_rows[] = {{"StftNorm", stft_norm, 1, extensions_domain}};

}  // namespace

std::span<const DecompositionRow> signal_decompositions() {
  return signal_rows;
}

}  // namespace ortool
