// Schema and shape rule of ByteLookup.
#include "libcore/ops/quantization/byte_lookup.hpp"

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema ByteLookup::schema = {
    "ByteLookup",
    "ortool",
    {{.since = 1,
      .inputs = {{"x", "T1"}, {"table", "T2"}},
      .outputs = {{"y", "T2"}},
      .types = {{"T1", types::bytes}, {"T2", types::bytes}}}}};

void ByteLookup::infer(InferContext& context) const {
  // Entries are indexed by the bit pattern: for int8, 0 to 127 come before -128.
  check_vector(context, 1, "table", 256);
  context.set_output(0, context.element(1), context.shape(0));
}

}  // namespace ortool
