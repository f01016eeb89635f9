// Schema of CastMap; the length of a dense row depends on the map.
#include "libcore/ops/ml/cast_map.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/ml/common_types.hpp"

namespace ortool {

constinit const OpSchema CastMap::schema = {
    "CastMap",
    "ai.onnx.ml",
    {{.since = 1,
      .inputs = {{"X", "T1"}},
      .outputs = {{"Y", "T2"}},
      .attributes = {{"cast_to", AttributeKind::string, false, "TO_FLOAT"},
                     {"map_form", AttributeKind::string, false, "DENSE"},
                     {"max_map", AttributeKind::integer, false, 1}},
      .types = {{"T1", types::maps_of_int64_to({DataType::float32, DataType::string})},
                {"T2", types_of({DataType::float32, DataType::int64, DataType::string})}}}}};

void CastMap::read(AttributeReader& attributes, int) {
  constexpr DataType types[] = {DataType::float32, DataType::string, DataType::int64};
  to = types[attributes.choice("cast_to", {"TO_FLOAT", "TO_STRING", "TO_INT64"}, 0)];
  is_sparse = attributes.choice("map_form", {"DENSE", "SPARSE"}, 0) == 1;
  size = attributes.integer("max_map", 1);
  if (is_sparse && size < 1) {
    throw Error(ErrorCode::invalid, format("max_map is {} (expected at least 1)", size));
  }
}

void CastMap::infer(InferContext& context) const {
  context.set_output(0, to, Dimensions{1, is_sparse ? Dimension(size) : Dimension()});
}

}  // namespace ortool
