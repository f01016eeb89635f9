// Versions of SoftmaxCrossEntropyLoss, which differ in types only.
#include "libcore/ops/loss/softmax_cross_entropy_loss.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> softmax_cross_entropy_loss_inputs = {
    {"scores", "T"}, {"labels", "Tind"}, {"weights", "T", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> softmax_cross_entropy_loss_attributes = {
    {"ignore_index", AttributeKind::integer}, {"reduction", AttributeKind::string, false, "mean"}};

}  // namespace

constinit const OpSchema SoftmaxCrossEntropyLoss::schema = {
    "SoftmaxCrossEntropyLoss",
    "",
    {{.since = 12,
      .inputs = softmax_cross_entropy_loss_inputs,
      .outputs = {{"output", "T"}, {"log_prob", "T", Formal::Count::optional}},
      .attributes = softmax_cross_entropy_loss_attributes,
      .types = {{"T", types::high_floats}, {"Tind", types::indices}}},
     {.since = 13,
      .inputs = softmax_cross_entropy_loss_inputs,
      .outputs = {{"output", "T"}, {"log_prob", "T", Formal::Count::optional}},
      .attributes = softmax_cross_entropy_loss_attributes,
      .types = {{"T", types::floats}, {"Tind", types::indices}}}}};

void SoftmaxCrossEntropyLoss::infer(InferContext& context) const {
  context.set_output(0, context.element(0), loss_shape(context, "scores", "labels", "weights"));
  context.set_output(1, context.element(0), context.shape(0));
}

}  // namespace ortool
