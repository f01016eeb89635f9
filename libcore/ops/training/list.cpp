// The training operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/training/gradient.hpp"
#include "libcore/ops/training/optimizer_steps.hpp"

namespace ortool {
namespace {

constexpr OpEntry training_entries[] = {
    op_entry<Adagrad>(),
    op_entry<Adam>(),
    op_entry<Gradient>(),
    op_entry<Momentum>(),
};

}  // namespace

std::span<const OpEntry> training_operators() {
  return training_entries;
}

}  // namespace ortool
