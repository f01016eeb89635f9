// Schema of MatMulBnb4 and checks of its operands.
#include "libcore/ops/contrib/weights/matmul_bnb4.hpp"

#include <utility>

#include "libcore/base/format.hpp"
#include "libcore/ops/contrib/weights/block_operands.hpp"
#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema MatMulBnb4::schema = {
    "MatMulBnb4",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"A", "T1"}, {"B", "T2"}, {"absmax", "T1"}},
      .outputs = {{"Y", "T1"}},
      .attributes = {{"K", AttributeKind::integer, true},
                     {"N", AttributeKind::integer, true},
                     {"block_size", AttributeKind::integer, true},
                     {"quant_type", AttributeKind::integer, true},
                     {"training_mode", AttributeKind::integer, false, 0},
                     {"transB", AttributeKind::integer, false, 1}},
      .types = {{"T1", types::scales}, {"T2", types_of({DataType::uint8})}}}}};

void MatMulBnb4::read(AttributeReader& attributes, int) {
  k = read_block_count(attributes, "K");
  n = read_block_count(attributes, "N");
  block_size = read_block_size(attributes);
  is_nf4 = attributes.integer_in("quant_type", 0, 0, 1) == 1;
  transposes = attributes.flag("transB", true);
  attributes.ignore("training_mode");
}

void MatMulBnb4::infer(InferContext& context) const {
  const std::int64_t elements = multiply_sizes(n, k);
  check_element_count(context, 1, "B", (elements + 1) / 2);
  check_element_count(context, 2, "absmax", (elements - 1) / block_size + 1);
  set_product_output(context, depth(), columns());
}

}  // namespace ortool
