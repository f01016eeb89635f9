// Versions of IsInf, which differ in types only.
#include "libcore/ops/math/is_inf.hpp"

namespace ortool {
namespace {

constexpr TypeSet types_with_infinity =
    types::floats | types_of({DataType::float8e4m3fn, DataType::float8e4m3fnuz,
                              DataType::float8e5m2, DataType::float8e5m2fnuz});

}  // namespace

constinit const OpSchema IsInf::schema = {
    "IsInf",
    "",
    {{.since = 10,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"detect_negative", AttributeKind::integer, false, 1},
                     {"detect_positive", AttributeKind::integer, false, 1}},
      .types = {{"T1", types_of({DataType::float32, DataType::float64})},
                {"T2", types::boolean_only}}},
     {.since = 20,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"detect_negative", AttributeKind::integer, false, 1},
                     {"detect_positive", AttributeKind::integer, false, 1}},
      .types = {{"T1", types_with_infinity}, {"T2", types::boolean_only}}}}};

void IsInf::read(AttributeReader& attributes, int) {
  detect_negative = attributes.flag("detect_negative", true);
  detect_positive = attributes.flag("detect_positive", true);
}

void IsInf::infer(InferContext& context) const {
  context.set_output(0, DataType::boolean, context.shape(0));
}

}  // namespace ortool
