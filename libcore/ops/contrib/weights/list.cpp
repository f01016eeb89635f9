// Contrib operators with block-quantized weights, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/weights/matmul_n_bits.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry weights_contrib_entries[] = {
    op_entry<MatMulNBits>(),
};

}  // namespace

std::span<const OpEntry> weights_contrib_operators() {
  return weights_contrib_entries;
}

}  // namespace ortool
