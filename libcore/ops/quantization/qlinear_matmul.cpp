// Versions of QLinearMatMul; 21 added float8 and more scale types.
#include "libcore/ops/quantization/qlinear_matmul.hpp"

#include "libcore/ops/math/matmul.hpp"
#include "libcore/ops/quantization/granularity.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {

constinit const OpSchema QLinearMatMul::schema = {
    "QLinearMatMul",
    "",
    {{.since = 10,
      .inputs = {{"a", "T1"},
                 {"a_scale", "tensor(float)"},
                 {"a_zero_point", "T1"},
                 {"b", "T2"},
                 {"b_scale", "tensor(float)"},
                 {"b_zero_point", "T2"},
                 {"y_scale", "tensor(float)"},
                 {"y_zero_point", "T3"}},
      .outputs = {{"y", "T3"}},
      .types = {{"T1", types::bytes}, {"T2", types::bytes}, {"T3", types::bytes}}},
     {.since = 21,
      .inputs = {{"a", "T1"},
                 {"a_scale", "TS"},
                 {"a_zero_point", "T1"},
                 {"b", "T2"},
                 {"b_scale", "TS"},
                 {"b_zero_point", "T2"},
                 {"y_scale", "TS"},
                 {"y_zero_point", "T3"}},
      .outputs = {{"y", "T3"}},
      .types = {{"TS", types::scales},
                {"T1", types::bytes_and_float8},
                {"T2", types::bytes_and_float8},
                {"T3", types::bytes_and_float8}}}}};

void QLinearMatMul::infer(InferContext& context) const {
  const PartialShape a = context.shape(0);
  const PartialShape b = context.shape(3);
  check_matrix_parameter(context, 1, "a_scale", a, -2);
  check_matrix_parameter(context, 2, "a_zero_point", a, -2);
  check_matrix_parameter(context, 4, "b_scale", b, -1);
  check_matrix_parameter(context, 5, "b_zero_point", b, -1);
  check_zero_point(context, 6, "y_scale", 7, "y_zero_point");
  context.set_output(0, context.element(7), matmul_shape(context, 0, 3));
}

}  // namespace ortool
