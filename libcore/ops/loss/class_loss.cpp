// Attributes and operand shapes of classification losses.
#include "libcore/ops/loss/class_loss.hpp"

#include "libcore/ops/operand_checks.hpp"
#include "libcore/ops/shape_rules.hpp"

namespace ortool {

void ClassLoss::read(AttributeReader& attributes, int) {
  ignore_index = attributes.find_integer("ignore_index");
  reduction = attributes.choice("reduction", {"none", "mean", "sum"}, Reduction::mean);
}

PartialShape ClassLoss::loss_shape(const InferContext& context, std::string_view scores,
                                   std::string_view labels, std::string_view weights) const {
  check_rank_at_least(context, 0, scores, 2);
  check_rank_at_least(context, 1, labels, 1);
  check_vector(context, 2, weights, dimension_at(context, 0, 1));
  PartialShape samples = context.shape(0);
  if (samples) {
    samples->erase(samples->begin() + 1);
    check_rank(context, 1, labels, static_cast<std::int64_t>(samples->size()));
  }
  samples = merge_shapes(samples, context.shape(1));
  return reduction == Reduction::none ? samples : PartialShape(Dimensions());
}

}  // namespace ortool
