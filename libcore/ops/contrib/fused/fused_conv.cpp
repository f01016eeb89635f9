// Schema and shape rule of FusedConv.
#include "libcore/ops/contrib/fused/fused_conv.hpp"

#include "libcore/ops/contrib_domain.hpp"
#include "libcore/ops/nn/conv/window_operands.hpp"
#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

constinit const OpSchema FusedConv::schema = {
    "FusedConv",
    contrib_domain,
    {{.since = 1,
      .inputs = {{"X", "T"},
                 {"W", "T"},
                 {"B", "T", Formal::Count::optional},
                 {"Z", "T", Formal::Count::optional}},
      .outputs = {{"Y", "T"}},
      .attributes = {{"activation", AttributeKind::string},
                     {"activation_params", AttributeKind::floats},
                     {"auto_pad", AttributeKind::string, false, "NOTSET"},
                     {"dilations", AttributeKind::integers},
                     {"group", AttributeKind::integer, false, 1},
                     {"kernel_shape", AttributeKind::integers},
                     {"pads", AttributeKind::integers},
                     {"strides", AttributeKind::integers}},
      .types = {{"T", types::high_floats}}}}};

void FusedConv::read(AttributeReader& attributes, int version) {
  Conv::read(attributes, version);
  activation = FusedActivation::read_list(attributes);
}

void FusedConv::infer(InferContext& context) const {
  check_vector(context, 2, "B", dimension_at(context, 1, 0));
  PartialShape shape = conv_shape(window, groups, context);
  if (context.has_input(3)) shape = merge_shapes(shape, context.shape(3));
  context.set_output(0, context.element(0), std::move(shape));
}

}  // namespace ortool
