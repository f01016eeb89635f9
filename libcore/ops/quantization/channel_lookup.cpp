// Schema and shape rule of ChannelLookup.
#include "libcore/ops/quantization/channel_lookup.hpp"

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema ChannelLookup::schema = {
    "ChannelLookup",
    "ortool",
    {{.since = 1,
      .inputs = {{"x", "T1"}, {"tables", "T2"}},
      .outputs = {{"y", "T2"}},
      .types = {{"T1", types::bytes}, {"T2", types::bytes}}}}};

void ChannelLookup::infer(InferContext& context) const {
  check_rank_at_least(context, 0, "x", 2);
  check_rank(context, 1, "tables", 2);
  const PartialShape x = context.shape(0);
  const PartialShape tables = context.shape(1);
  if (tables) {
    // Entries are indexed by the bit pattern: for int8, 0 to 127 come before -128.
    check_dimension("the length of a table", (*tables)[1], Dimension(256));
    if (x) check_dimension("the number of tables", (*tables)[0], (*x)[1]);
  }
  context.set_output(0, context.element(1), x);
}

}  // namespace ortool
