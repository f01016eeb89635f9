// The signal operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/signal/dft.hpp"
#include "libcore/ops/signal/mel_weight_matrix.hpp"
#include "libcore/ops/signal/stft.hpp"
#include "libcore/ops/signal/window.hpp"

namespace ortool {
namespace {

constexpr OpEntry signal_entries[] = {
    op_entry<BlackmanWindow>(),  op_entry<DFT>(),
    op_entry<HammingWindow>(),   op_entry<HannWindow>(),
    op_entry<MelWeightMatrix>(), op_entry<STFT>(),
};

}  // namespace

std::span<const OpEntry> signal_operators() {
  return signal_entries;
}

}  // namespace ortool
