// Versions of Cast and CastLike; version 1 names the type by a string.
#include "libcore/ops/tensor/cast.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/ops/shape_rules.hpp"
#include "libcore/ops/value_rules.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<AttributeSpec> cast_attributes_6 = {
    {"to", AttributeKind::integer, true}};

constexpr std::initializer_list<AttributeSpec> cast_attributes_19 = {
    {"saturate", AttributeKind::integer, false, 1}, {"to", AttributeKind::integer, true}};

constexpr std::initializer_list<AttributeSpec> cast_attributes_24 = {
    {"round_mode", AttributeKind::string, false, "up"},
    {"saturate", AttributeKind::integer, false, 1},
    {"to", AttributeKind::integer, true}};

constexpr std::initializer_list<Formal> cast_like_inputs = {{"input", "T1"}, {"target_type", "T2"}};

constexpr std::initializer_list<AttributeSpec> cast_like_attributes_19 = {
    {"saturate", AttributeKind::integer, false, 1}};

constexpr std::initializer_list<AttributeSpec> cast_like_attributes_24 = {
    {"round_mode", AttributeKind::string, false, "up"},
    {"saturate", AttributeKind::integer, false, 1}};

DataType read_cast_target(AttributeReader& attributes, int version) {
  if (version == 1) {
    const std::string name = attributes.string("to");
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const std::optional<DataType> type = data_type_from_name(lower);
    if (type) return *type;
    throw Error(ErrorCode::invalid,
                format("attribute 'to' is {} (expected the name of a type)", quote(name)));
  }
  const std::int64_t number = attributes.integer("to");
  if (number > 0 && number < data_type_count) return static_cast<DataType>(number);
  throw Error(ErrorCode::invalid,
              format("attribute 'to' is {} (expected the number of a type, 1 to {})", number,
                     data_type_count - 1));
}

void cast_elements(InferContext& context, DataType to) {
  const DataType from = context.element(0);
  change_elements(context, to,
                  [&](const KnownElement& element) { return cast(element, from, to); });
}

}  // namespace

constinit const OpSchema Cast::schema = {
    "Cast",
    "",
    {{.since = 1,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"to", AttributeKind::string, true}},
      .types = {{"T1", types::boolean_only | types::numbers},
                {"T2", types::boolean_only | types::numbers}}},
     {.since = 6,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_6,
      .types = {{"T1", types::boolean_only | types::numbers},
                {"T2", types::boolean_only | types::numbers}}},
     {.since = 9,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_6,
      .types = {{"T1", types::all_tensors - types::complexes},
                {"T2", types::all_tensors - types::complexes}}},
     {.since = 13,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_6,
      .types = {{"T1", types::all_tensors_and_bfloat16 - types::complexes},
                {"T2", types::all_tensors_and_bfloat16 - types::complexes}}},
     {.since = 19,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_19,
      .types = {{"T1", types::all_tensors_ir9 - types::complexes},
                {"T2", types::all_tensors_ir9 - types::complexes}}},
     {.since = 21,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_19,
      .types = {{"T1", types::all_tensors_ir10 - types::complexes},
                {"T2", types::all_tensors_ir10 - types::complexes}}},
     {.since = 23,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_19,
      .types = {{"T1", types::all_tensors_ir11 - types::complexes},
                {"T2", types::all_tensors_ir11 - types::complexes}}},
     {.since = 24,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_24,
      .types = {{"T1", types::all_tensors_ir12 - types::complexes},
                {"T2", types::all_tensors_ir12 - types::complexes}}},
     {.since = 25,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_24,
      .types = {{"T1", types::all_tensors_ir13 - types::complexes},
                {"T2", types::all_tensors_ir13 - types::complexes}}},
     {.since = 28,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = cast_attributes_24,
      .types = {{"T1", types::all_tensors_ir14 - types::complexes},
                {"T2", types::all_tensors_ir14 - types::complexes}}}}};

constinit const OpSchema CastLike::schema = {
    "CastLike",
    "",
    {{.since = 15,
      .inputs = cast_like_inputs,
      .outputs = {{"output", "T2"}},
      .types = {{"T1", types::all_tensors_and_bfloat16 - types::complexes},
                {"T2", types::all_tensors_and_bfloat16 - types::complexes}}},
     {.since = 19,
      .inputs = cast_like_inputs,
      .outputs = {{"output", "T2"}},
      .attributes = cast_like_attributes_19,
      .types = {{"T1", types::all_tensors_ir9 - types::complexes},
                {"T2", types::all_tensors_ir9 - types::complexes}}},
     {.since = 21,
      .inputs = cast_like_inputs,
      .outputs = {{"output", "T2"}},
      .attributes = cast_like_attributes_19,
      .types = {{"T1", types::all_tensors_ir10 - types::complexes},
                {"T2", types::all_tensors_ir10 - types::complexes}}},
     {.since = 23,
      .inputs = cast_like_inputs,
      .outputs = {{"output", "T2"}},
      .attributes = cast_like_attributes_19,
      .types = {{"T1", types::all_tensors_ir11 - types::complexes},
                {"T2", types::all_tensors_ir11 - types::complexes}}},
     {.since = 24,
      .inputs = cast_like_inputs,
      .outputs = {{"output", "T2"}},
      .attributes = cast_like_attributes_24,
      .types = {{"T1", types::all_tensors_ir12 - types::complexes},
                {"T2", types::all_tensors_ir12 - types::complexes}}},
     {.since = 25,
      .inputs = cast_like_inputs,
      .outputs = {{"output", "T2"}},
      .attributes = cast_like_attributes_24,
      .types = {{"T1", types::all_tensors_ir13 - types::complexes},
                {"T2", types::all_tensors_ir13 - types::complexes}}}}};

void Conversion::read_rounding(AttributeReader& attributes, int version) {
  wraps = version >= 24;
  saturate = attributes.flag("saturate", true);
  round_mode = attributes.choice("round_mode", {"up", "down", "nearest"}, RoundMode::up);
}

void Cast::read(AttributeReader& attributes, int version) {
  read_rounding(attributes, version);
  to = read_cast_target(attributes, version);
  if (!attributes.version().allowed("T2").contains(to)) {
    throw Error(ErrorCode::invalid,
                format("attribute 'to' is {}, which version {} of the operator does not produce",
                       name_of(to), version));
  }
}

void Cast::infer(InferContext& context) const {
  context.set_output(0, to, context.shape(0));
  cast_elements(context, to);
}

void CastLike::read(AttributeReader& attributes, int version) {
  read_rounding(attributes, version);
}

void CastLike::infer(InferContext& context) const {
  context.set_output(0, context.element(1), context.shape(0));
  cast_elements(context, context.element(1));
}

}  // namespace ortool
