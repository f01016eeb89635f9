// Versions and shape rule of MeanVarianceNormalization.
#include "libcore/ops/nn/normalization/mean_variance_normalization.hpp"

#include "libcore/ops/shape_rules.hpp"

namespace ortool {

namespace {

constexpr std::initializer_list<std::int64_t> default_axes = {0, 2, 3};

}  // namespace

constinit const OpSchema MeanVarianceNormalization::schema = {
    "MeanVarianceNormalization",
    "",
    {{.since = 9,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"axes", AttributeKind::integers, false, default_axes}},
      .types = {{"T", types::high_floats}}},
     {.since = 13,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"axes", AttributeKind::integers, false, default_axes}},
      .types = {{"T", types::floats}}}},
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"across_channels", AttributeKind::integer, false, 0},
                     {"normalize_variance", AttributeKind::integer, false, 1}},
      .types = {{"T", types::high_floats}}}}};

void MeanVarianceNormalization::read(AttributeReader& attributes, int version) {
  if (version < 9) {
    has_variance = attributes.flag("normalize_variance", true);
    if (attributes.flag("across_channels")) axes = {0, 1, 2, 3};
    return;
  }
  axes = attributes.find_integers("axes").value_or(std::vector<std::int64_t>(default_axes));
}

void MeanVarianceNormalization::infer(InferContext& context) const {
  if (context.rank(0) >= 0) normalize_axes(axes, context.rank(0));
  context.set_output(0, context.element(0), context.shape(0));
}

}  // namespace ortool
