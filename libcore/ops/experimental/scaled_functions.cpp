// Schemas of the removed unary functions.
#include "libcore/ops/experimental/scaled_functions.hpp"

#include "libcore/base/format.hpp"
#include "libcore/ops/operand_checks.hpp"

namespace ortool {

namespace {

constexpr std::initializer_list<AttributeSpec> undefaulted_attributes = {
    {"alpha", AttributeKind::float_number}, {"beta", AttributeKind::float_number}};

/// These attributes have no default in ONNX, so a node without them is undefined.
float read_given_number(AttributeReader& attributes, std::string_view name) {
  const std::optional<float> number = attributes.find_number(name);
  if (number) return *number;
  throw Error(ErrorCode::invalid, format("attribute '{}' is missing, and has no default", name))
      .with_id("node.attribute.missing");
}

}  // namespace

constinit const OpSchema Affine::schema = {
    "Affine",
    "",
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.0F},
                     {"beta", AttributeKind::float_number, false, 0.0F}},
      .types = {{"T", types::high_floats}}}}};

constinit const OpSchema ParametricSoftplus::schema = {"ParametricSoftplus",
                                                       "",
                                                       {{.since = 1,
                                                         .inputs = {{"X", "T"}},
                                                         .outputs = {{"Y", "T"}},
                                                         .attributes = undefaulted_attributes,
                                                         .types = {{"T", types::high_floats}}}}};

constinit const OpSchema ScaleOp::schema = {
    "Scale",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"scale", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::high_floats}}}}};

constinit const OpSchema ScaledTanh::schema = {"ScaledTanh",
                                               "",
                                               {{.since = 1,
                                                 .inputs = {{"input", "T"}},
                                                 .outputs = {{"output", "T"}},
                                                 .attributes = undefaulted_attributes,
                                                 .types = {{"T", types::high_floats}}}}};

constinit const OpSchema ImageScaler::schema = {
    "ImageScaler",
    "",
    {{.since = 1,
      .inputs = {{"input", "T"}},
      .outputs = {{"output", "T"}},
      .attributes = {{"bias", AttributeKind::floats},
                     {"scale", AttributeKind::float_number, false, 1.0F}},
      .types = {{"T", types::high_floats}}}}};

void Affine::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1);
  beta = attributes.number("beta");
}

void ParametricSoftplus::read(AttributeReader& attributes, int) {
  alpha = read_given_number(attributes, "alpha");
  beta = read_given_number(attributes, "beta");
}

void ScaleOp::read(AttributeReader& attributes, int) {
  scale = attributes.number("scale", 1);
}

void ScaledTanh::read(AttributeReader& attributes, int) {
  alpha = read_given_number(attributes, "alpha");
  beta = read_given_number(attributes, "beta");
}

void ImageScaler::read(AttributeReader& attributes, int) {
  scale = attributes.number("scale", 1);
  bias = attributes.find_numbers("bias").value_or(std::vector<float>());
}

void ImageScaler::infer(InferContext& context) const {
  check_rank(context, 0, "input", 4);
  if (!bias.empty()) {
    check_dimension("the number of channels", dimension_at(context, 0, 1),
                    static_cast<std::int64_t>(bias.size()));
  }
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
