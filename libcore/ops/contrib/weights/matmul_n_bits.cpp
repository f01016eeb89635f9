// Schema of ONNX Runtime's MatMulNBits, and checks of its operands.
#include "libcore/ops/contrib/weights/matmul_n_bits.hpp"

#include <optional>
#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/weights/block_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
constinit const OpSchema MatMulNBits::schema = {
    "MatMulNBits",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"},
                 {"B", "T2"},
                 {"scales", "T1"},
                 {"zero_points", "T3", Formal::Count::optional},
                 {"g_idx", "T4", Formal::Count::optional},
                 {"bias", "T1", Formal::Count::optional}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"K", AttributeKind::integer, true},
                     {"N", AttributeKind::integer, true},
                     {"accuracy_level", AttributeKind::integer, false, 0},
                     {"bits", AttributeKind::integer, false, 4},
                     {"block_size", AttributeKind::integer, true},
                     {"weight_prepacked", AttributeKind::integer, false, 0}},
      .types = {{"T1", types::scales},
                {"T2", types_of({DataType::uint8})},
                {"T3", types::scales | types_of({DataType::uint8})},
                {"T4", types::int32_only}}}}};

void MatMulNBits::read(AttributeReader& attributes, int) {
  k = read_block_count(attributes, "K");
  n = read_block_count(attributes, "N");
  bits = read_block_bits(attributes);
  block_size = read_block_size(attributes);
  constexpr std::int64_t int8_level = 4;
  allows_int8 = attributes.integer_in("accuracy_level", 0, 0, int8_level) == int8_level;
  const std::int64_t prepacked = attributes.integer("weight_prepacked", 0);
  if (prepacked != 0) {
    throw Error(ErrorCode::unsupported,
                format("weight_prepacked is {} (expected 0): the weights are in the order of a "
                       "CUDA kernel of ONNX Runtime",
                       prepacked),
                "quantize the model again without prepacking its weights");
  }
}

void MatMulNBits::infer(InferContext& context) const {
  const BlockOperands matrix{k, n, bits, block_size};
  matrix.check_codes(context, 1, "B");
  matrix.check_scales(context, 2, "scales");
  const bool is_packed = context.element(3) == DataType::uint8;
  check_element_count(context, 3, "zero_points",
                      multiply_sizes(n, is_packed ? (blocks() * bits + 7) / 8 : blocks()));
  const std::optional<std::int64_t> groups = element_count_of(context, 4);
  if (groups && *groups != k) check_element_count(context, 4, "g_idx", blocks() * block_size);
  check_vector(context, 5, "bias", Dimension(n));
  set_product_output(context, k, Dimension(n));
}

}  // namespace ortool
