// Versions of the random generators; 22 added bfloat16 to all of them.
#include "libcore/ops/generator/random.hpp"

#include <cmath>

#include "libcore/base/format.hpp"
#include "libcore/ops/element_type.hpp"

namespace ortool {

constinit const OpSchema RandomNormal::schema = {
    "RandomNormal",
    "",
    {{.since = 1,
      .outputs = {{"output", "T"}},
      .attributes = {{"dtype", AttributeKind::integer, false, 1},
                     {"mean", AttributeKind::float_number, false, 0.0F},
                     {"scale", AttributeKind::float_number, false, 1.0F},
                     {"seed", AttributeKind::float_number},
                     {"shape", AttributeKind::integers, true}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .outputs = {{"output", "T"}},
      .attributes = {{"dtype", AttributeKind::integer, false, 1},
                     {"mean", AttributeKind::float_number, false, 0.0F},
                     {"scale", AttributeKind::float_number, false, 1.0F},
                     {"seed", AttributeKind::float_number},
                     {"shape", AttributeKind::integers, true}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema RandomNormalLike::schema = {
    "RandomNormalLike",
    "",
    {{.since = 1,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer},
                     {"mean", AttributeKind::float_number, false, 0.0F},
                     {"scale", AttributeKind::float_number, false, 1.0F},
                     {"seed", AttributeKind::float_number}},
      .types = {{"T1", types::all_tensors}, {"T2", types::high_floats}}},
     {.since = 22,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer},
                     {"mean", AttributeKind::float_number, false, 0.0F},
                     {"scale", AttributeKind::float_number, false, 1.0F},
                     {"seed", AttributeKind::float_number}},
      .types = {{"T1", types::all_tensors_and_bfloat16}, {"T2", types::floats}}}}};

constinit const OpSchema RandomUniform::schema = {
    "RandomUniform",
    "",
    {{.since = 1,
      .outputs = {{"output", "T"}},
      .attributes = {{"dtype", AttributeKind::integer, false, 1},
                     {"high", AttributeKind::float_number, false, 1.0F},
                     {"low", AttributeKind::float_number, false, 0.0F},
                     {"seed", AttributeKind::float_number},
                     {"shape", AttributeKind::integers, true}},
      .types = {{"T", types::high_floats}}},
     {.since = 22,
      .outputs = {{"output", "T"}},
      .attributes = {{"dtype", AttributeKind::integer, false, 1},
                     {"high", AttributeKind::float_number, false, 1.0F},
                     {"low", AttributeKind::float_number, false, 0.0F},
                     {"seed", AttributeKind::float_number},
                     {"shape", AttributeKind::integers, true}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema RandomUniformLike::schema = {
    "RandomUniformLike",
    "",
    {{.since = 1,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer},
                     {"high", AttributeKind::float_number, false, 1.0F},
                     {"low", AttributeKind::float_number, false, 0.0F},
                     {"seed", AttributeKind::float_number}},
      .types = {{"T1", types::all_tensors}, {"T2", types::high_floats}}},
     {.since = 22,
      .inputs = {{"input", "T1"}},
      .outputs = {{"output", "T2"}},
      .attributes = {{"dtype", AttributeKind::integer},
                     {"high", AttributeKind::float_number, false, 1.0F},
                     {"low", AttributeKind::float_number, false, 0.0F},
                     {"seed", AttributeKind::float_number}},
      .types = {{"T1", types::all_tensors_and_bfloat16}, {"T2", types::floats}}}}};

namespace {

void check_finite(std::string_view name, float value) {
  if (std::isfinite(value)) return;
  throw Error(ErrorCode::invalid,
              format("attribute '{}' is {} (expected a finite number)", name, value));
}

}  // namespace

void NormalDistribution::read(AttributeReader& attributes) {
  mean = attributes.number("mean", 0.0F);
  scale = attributes.number("scale", 1.0F);
  check_finite("mean", mean);
  check_finite("scale", scale);
  if (scale < 0) {
    throw Error(ErrorCode::invalid,
                format("attribute 'scale' is {} (expected 0 or more, a deviation)", scale));
  }
}

void UniformDistribution::read(AttributeReader& attributes) {
  low = attributes.number("low", 0.0F);
  high = attributes.number("high", 1.0F);
  check_finite("low", low);
  check_finite("high", high);
  if (low > high) {
    throw Error(ErrorCode::invalid,
                format("attribute 'low' is {} (expected at most 'high', {})", low, high));
  }
}

template <typename Distribution>
void RandomTensor<Distribution>::read(AttributeReader& attributes, int) {
  distribution.read(attributes);
  seed = attributes.find_number("seed");
  element = read_element_type(attributes, "dtype", "T").value_or(DataType::float32);
  shape = Shape(attributes.find_integers("shape").value_or(std::vector<std::int64_t>()));
  static_cast<void>(shape.element_count());
}

template <typename Distribution>
void RandomTensor<Distribution>::infer(InferContext& context) const {
  context.set_output(0, element, to_partial(shape));
}

template <typename Distribution>
void RandomLikeInput<Distribution>::read(AttributeReader& attributes, int) {
  distribution.read(attributes);
  seed = attributes.find_number("seed");
  element = read_element_type(attributes, "dtype", "T2");
}

template <typename Distribution>
void RandomLikeInput<Distribution>::infer(InferContext& context) const {
  const DataType own = context.element(0);
  if (!element && own != DataType::undefined && !is_floating_point(own)) {
    throw Error(ErrorCode::invalid,
                format("attribute 'dtype' is left out, but the input is {} (expected a "
                       "floating-point type)",
                       name_of(own)));
  }
  context.set_output(0, element.value_or(own), context.shape(0));
}

template struct RandomTensor<NormalDistribution>;
template struct RandomTensor<UniformDistribution>;
template struct RandomLikeInput<NormalDistribution>;
template struct RandomLikeInput<UniformDistribution>;

}  // namespace ortool
