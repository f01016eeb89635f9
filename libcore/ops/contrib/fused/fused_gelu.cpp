// Schemas of ONNX Runtime's Gelu and its variants.
#include "libcore/ops/contrib/fused/fused_gelu.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema ContribGelu::schema = {"Gelu",
                                                contrib_domain,
                                                {{.since = 1,
                                                  .inputs = {{"X", "T"}},
                                                  .outputs = {{"Y", "T"}},
                                                  .types = {{"T", types::floats}}}}};

constinit const OpSchema BiasGelu::schema = {"BiasGelu",
                                             contrib_domain,
                                             {{.since = 1,
                                               .inputs = {{"A", "T"}, {"B", "T"}},
                                               .outputs = {{"C", "T"}},
                                               .types = {{"T", types::floats}}}}};

constinit const OpSchema FastGelu::schema = {
    "FastGelu",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}, {"bias", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .types = {{"T", types::floats}}}}};

constinit const OpSchema QuickGelu::schema = {
    "QuickGelu",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"alpha", AttributeKind::float_number, false, 1.702F}},
      .types = {{"T", types::floats}}}}};

void BiasGelu::infer(InferContext& context) const {
  context.set_output(0, common_element(context, 0, 2), broadcast_inputs(context, 0, 2));
}

void FastGelu::infer(InferContext& context) const {
  if (!context.has_input(1)) {
    context.set_output(0, context.element(0), context.shape(0));
    return;
  }
  context.set_output(0, common_element(context, 0, 2), broadcast_inputs(context, 0, 2));
}

void QuickGelu::read(AttributeReader& attributes, int) {
  alpha = attributes.number("alpha", 1.702F);
}

}  // namespace ortool
