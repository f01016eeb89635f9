// Versions of IsNaN, which differ in types only.
#include "libcore/ops/math/is_nan.hpp"

namespace ortool {
namespace {

constexpr TypeSet types_with_nan =
    types::floats | types_of({DataType::float8e4m3fn, DataType::float8e4m3fnuz,
                              DataType::float8e5m2, DataType::float8e5m2fnuz});

}  // namespace

constinit const OpSchema IsNaN::schema = {
    "IsNaN",
    "",
    {{.since = 9,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .types = {{"T1", types::high_floats}, {"T2", types::boolean_only}}},
     {.since = 13,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .types = {{"T1", types::floats}, {"T2", types::boolean_only}}},
     {.since = 20,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .types = {{"T1", types_with_nan}, {"T2", types::boolean_only}}}}};

void IsNaN::read(AttributeReader&, int) {}

void IsNaN::infer(InferContext& context) const {
  context.set_output(0, DataType::boolean, context.shape(0));
}

}  // namespace ortool
