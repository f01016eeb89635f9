// Versions of NegativeLogLikelihoodLoss, which differ in types only.
#include "libcore/ops/loss/negative_log_likelihood_loss.hpp"

namespace ortool {
namespace {

constexpr std::initializer_list<Formal> negative_log_likelihood_loss_inputs = {
    {"input", "T"}, {"target", "Tind"}, {"weight", "T", Formal::Count::optional}};

constexpr std::initializer_list<AttributeSpec> negative_log_likelihood_loss_attributes = {
    {"ignore_index", AttributeKind::integer}, {"reduction", AttributeKind::string, false, "mean"}};

}  // namespace

constinit const OpSchema NegativeLogLikelihoodLoss::schema = {
    "NegativeLogLikelihoodLoss",
    "",
    {{.since = 12,
      .inputs = negative_log_likelihood_loss_inputs,
      .outputs = {{"loss", "T"}},
      .attributes = negative_log_likelihood_loss_attributes,
      .types = {{"T", types::high_floats}, {"Tind", types::indices}}},
     {.since = 13,
      .inputs = negative_log_likelihood_loss_inputs,
      .outputs = {{"loss", "T"}},
      .attributes = negative_log_likelihood_loss_attributes,
      .types = {{"T", types::high_floats}, {"Tind", types::indices}}},
     {.since = 22,
      .inputs = negative_log_likelihood_loss_inputs,
      .outputs = {{"loss", "T"}},
      .attributes = negative_log_likelihood_loss_attributes,
      .types = {{"T", types::floats}, {"Tind", types::indices}}}}};

void NegativeLogLikelihoodLoss::infer(InferContext& context) const {
  context.set_output(0, context.element(0), loss_shape(context, "input", "target", "weight"));
}

}  // namespace ortool
