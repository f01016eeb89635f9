// Schema and shape rule of Reorder.
#include "libcore/ops/tensor/layout/reorder.hpp"

namespace ortool {

constinit const OpSchema Reorder::schema = {
    "Reorder",
    "ortool",
    {{.since = 1,
      .inputs = {{"x", "T"}},
      .outputs = {{"y", "T"}},
      .types = {{"T", types_of({DataType::float32, DataType::int8, DataType::uint8})}}}}};

void Reorder::infer(InferContext& context) const {
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
