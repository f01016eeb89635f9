// Versions of Resize and Upsample, as ONNX lists them.
#include "libcore/ops/tensor/resize.hpp"

namespace ortool {

constexpr std::initializer_list<AttributeSpec> resize_attributes_11 = {
    {"coordinate_transformation_mode", AttributeKind::string, false, "half_pixel"},
    {"cubic_coeff_a", AttributeKind::float_number, false, -0.75F},
    {"exclude_outside", AttributeKind::integer, false, 0},
    {"extrapolation_value", AttributeKind::float_number, false, 0.0F},
    {"mode", AttributeKind::string, false, "nearest"},
    {"nearest_mode", AttributeKind::string, false, "round_prefer_floor"}};

constexpr std::initializer_list<Formal> resize_inputs = {
    {"X", "T1"},
    {"roi", "T2", Formal::Count::optional},
    {"scales", "tensor(float)", Formal::Count::optional},
    {"sizes", "tensor(int64)", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> resize_attributes_18 = {
    {"antialias", AttributeKind::integer, false, 0},
    {"axes", AttributeKind::integers},
    {"coordinate_transformation_mode", AttributeKind::string, false, "half_pixel"},
    {"cubic_coeff_a", AttributeKind::float_number, false, -0.75F},
    {"exclude_outside", AttributeKind::integer, false, 0},
    {"extrapolation_value", AttributeKind::float_number, false, 0.0F},
    {"keep_aspect_ratio_policy", AttributeKind::string, false, "stretch"},
    {"mode", AttributeKind::string, false, "nearest"},
    {"nearest_mode", AttributeKind::string, false, "round_prefer_floor"}};

constexpr std::initializer_list<AttributeSpec> upsample_attributes = {
    {"mode", AttributeKind::string, false, "nearest"}};

constinit const OpSchema Resize::schema = {
    "Resize",
    "",
    {{.since = 10,
      .inputs = {{"X", "T"}, {"scales", "tensor(float)"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"mode", AttributeKind::string, false, "nearest"}},
      .types = {{"T", types::all_tensors}}},
     {.since = 11,
      .inputs = {{"X", "T1"},
                 {"roi", "T2"},
                 {"scales", "tensor(float)"},
                 {"sizes", "tensor(int64)", Formal::Count::optional}},
      .outputs = {{"Y", "T1"}},
      .attributes = resize_attributes_11,
      .types = {{"T1", types::all_tensors}, {"T2", types::high_floats}}},
     {.since = 13,
      .inputs = resize_inputs,
      .outputs = {{"Y", "T1"}},
      .attributes = resize_attributes_11,
      .types = {{"T1", types::all_tensors_and_bfloat16}, {"T2", types::high_floats}}},
     {.since = 18,
      .inputs = resize_inputs,
      .outputs = {{"Y", "T1"}},
      .attributes = resize_attributes_18,
      .types = {{"T1", types::all_tensors_and_bfloat16}, {"T2", types::high_floats}}},
     {.since = 19,
      .inputs = resize_inputs,
      .outputs = {{"Y", "T1"}},
      .attributes = resize_attributes_18,
      .types = {{"T1", types::all_tensors_and_bfloat16}, {"T2", types::high_floats}}}}};

constinit const OpSchema Upsample::schema = {
    "Upsample",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"height_scale", AttributeKind::float_number, true},
                     {"mode", AttributeKind::string, false, "nearest"},
                     {"width_scale", AttributeKind::float_number, true}},
      .types = {{"T", types::high_floats |
                          types_of({DataType::int32, DataType::int64, DataType::boolean})}}},
     {.since = 7,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"mode", AttributeKind::string, false, "nearest"},
                     {"scales", AttributeKind::floats, true}},
      .types = {{"T", types::all_tensors}}},
     {.since = 9,
      .inputs = {{"X", "T"}, {"scales", "tensor(float)"}},
      .outputs = {{"Y", "T"}},
      .attributes = upsample_attributes,
      .types = {{"T", types::all_tensors}}},
     {.since = 10,
      .inputs = {{"X", "T"}, {"scales", "tensor(float)"}},
      .outputs = {{"Y", "T"}},
      .attributes = upsample_attributes,
      .types = {{"T", types::all_tensors}},
      .is_deprecated = true}}};

}  // namespace ortool
