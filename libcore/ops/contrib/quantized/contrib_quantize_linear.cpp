// Schemas of com.microsoft.QuantizeLinear and DequantizeLinear.
#include "libcore/ops/contrib/quantized/contrib_quantize_linear.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/quantization/quantized_types.hpp"

namespace ortool {
namespace {

constexpr TypeSet quantized_integers =
    types_of({DataType::int8, DataType::uint8, DataType::int16, DataType::uint16, DataType::int4,
              DataType::uint4});
constexpr TypeSet real_types = types_of({DataType::float16, DataType::float32});

}  // namespace

constinit const OpSchema ContribQuantizeLinear::schema = {
    "QuantizeLinear",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"x", "T1"}, {"y_scale", "T1"}, {"y_zero_point", "T2", Formal::Count::optional}},
      .outputs = {{"y", "T2"}},
      .attributes = {{"axis", AttributeKind::integer}},
      .types = {{"T1", real_types}, {"T2", quantized_integers}}}}};

constinit const OpSchema ContribDequantizeLinear::schema = {
    "DequantizeLinear",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"x", "T1"}, {"x_scale", "T2"}, {"x_zero_point", "T1", Formal::Count::optional}},
      .outputs = {{"y", "T2"}},
      .attributes = {{"axis", AttributeKind::integer}},
      .types = {{"T1", quantized_integers | types::int32_only}, {"T2", real_types}}}}};

void ContribQuantizeLinear::read(AttributeReader& attributes, int) {
  granularity.axis = attributes.integer("axis", 1);
}

void ContribDequantizeLinear::read(AttributeReader& attributes, int) {
  granularity.axis = attributes.integer("axis", 1);
}

}  // namespace ortool
