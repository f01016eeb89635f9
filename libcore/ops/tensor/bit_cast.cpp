// Schema and type rule of BitCast: both types have the same width.
#include "libcore/ops/tensor/bit_cast.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/element_type.hpp"

namespace ortool {

constinit const OpSchema BitCast::schema = {
    "BitCast",
    "",
    {{.since = 26,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"to", AttributeKind::integer, true}},
      .types = {{"T1", types::all_tensors_ir13 - types::string_only},
                {"T2", types::all_tensors_ir13 - types::string_only}}}}};

void BitCast::read(AttributeReader& attributes, int) {
  to = *read_element_type(attributes, "to", "T2");
}

void BitCast::infer(InferContext& context) const {
  const DataType from = context.element(0);
  if (from != DataType::undefined && element_bits(from) != element_bits(to)) {
    throw Error(ErrorCode::invalid,
                format("the bits of {} cannot be cast to {} (expected a type of {} bits)",
                       name_of(from), name_of(to), element_bits(from)));
  }
  context.set_output(0, to, context.shape(0));
}

}  // namespace ortool
