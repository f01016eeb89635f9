// DynamicQuantizeLSTM as LSTM of dequantized weights.
// https://onnx.ai/onnx/operators/onnx__LSTM.html
#include <vector>

#include "libcore/graph/graph.hpp"
#include "libcore/optimize/contrib/common_nodes.hpp"
#include "libcore/optimize/target/target_tables.hpp"

namespace ortool {
namespace {

using Results = Decomposition::Results;

/// Weights as LSTM has them: directions x rows x depth.
Value* dequantized_weights(Decomposition& out, std::int64_t weights, std::int64_t scale) {
  const std::int64_t zero = scale + 1;
  const auto per_column = [&](Value& x, std::int64_t rank) -> Value* {
    if (rank == 1) return &unsqueeze(out, unsqueeze(out, x, 1), 2);
    return rank == 2 ? &unsqueeze(out, x, 1) : nullptr;
  };
  Value* codes = &cast_to(out, *out.input(weights), DataType::float32);
  if (out.input(zero) != nullptr) {
    Value& wide = cast_to(out, *out.input(zero), DataType::float32);
    codes = &out.add("Sub", {codes, per_column(wide, out.rank(zero))});
  }
  Value& scaled = out.add("Mul", {codes, per_column(*out.input(scale), out.rank(scale))});
  return &transpose(out, scaled, {0, 2, 1});
}

Results dynamic_quantize_lstm(Decomposition& out) {
  const auto has_known_rank = [&](std::int64_t input) {
    return out.input(input) == nullptr || out.rank(input) == 1 || out.rank(input) == 2;
  };
  for (const std::int64_t input : {8, 9, 10, 11}) {
    if (!has_known_rank(input)) return {};
  }
  std::vector<Value*> operands = {out.input(0), dequantized_weights(out, 1, 8),
                                  dequantized_weights(out, 2, 10)};
  for (const std::int64_t input : {3, 4, 5, 6, 7}) operands.push_back(out.input(input));
  std::vector<bool> wanted;
  for (std::int64_t i = 0; i < out.node().output_count(); ++i) wanted.push_back(out.has_output(i));
  return out.add_wanted("LSTM", std::move(operands), wanted, out.attributes_but({}));
}

}  // namespace

std::span<const DecompositionRow> plain_recurrent_layers() {
  static constexpr DecompositionRow rows[] = {{"DynamicQuantizeLSTM", dynamic_quantize_lstm, 3}};
  return rows;
}

}  // namespace ortool
