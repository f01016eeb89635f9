// The loss operators, one line each, sorted by domain, then name.
#include "libcore/ops/loss/negative_log_likelihood_loss.hpp"
#include "libcore/ops/loss/softmax_cross_entropy_loss.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry loss_entries[] = {
    op_entry<NegativeLogLikelihoodLoss>(),
    op_entry<SoftmaxCrossEntropyLoss>(),
};

}  // namespace

std::span<const OpEntry> loss_operators() {
  return loss_entries;
}

}  // namespace ortool
