// Schema of MatMulInteger and checks of its zero points.
#include "libcore/ops/quantization/matmul_integer.hpp"

#include "libcore/ops/math/matmul.hpp"
#include "libcore/ops/quantization/granularity.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema MatMulInteger::schema = {
    "MatMulInteger",
    "",
    {{.since = 10,
      .inputs = {{"A", "T1"},
                 {"B", "T2"},
                 {"a_zero_point", "T1", Formal::Count::optional},
                 {"b_zero_point", "T2", Formal::Count::optional}},
      .outputs = {{"Y", "T3"}},
      .types = {{"T1", types::bytes}, {"T2", types::bytes}, {"T3", types::int32_only}}}}};

void MatMulInteger::infer(InferContext& context) const {
  check_matrix_parameter(context, 2, "a_zero_point", context.shape(0), -2);
  check_matrix_parameter(context, 3, "b_zero_point", context.shape(1), -1);
  context.set_output(0, DataType::int32, matmul_shape(context, 0, 1));
}

}  // namespace ortool
