// The signal operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/signal/dft.hpp"
#include "libcore/ops/signal/mel_weight_matrix.hpp"
#include "libcore/ops/signal/stft.hpp"
#include "libcore/ops/signal/window.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry signal_entries[] = {
    op_entry<BlackmanWindow>({.set = {own_result_type}}),
    op_entry<DFT>(),
    op_entry<HammingWindow>({.set = {own_result_type}}),
    op_entry<HannWindow>({.set = {own_result_type}}),
    op_entry<MelWeightMatrix>({.set = {own_result_type}}),
    op_entry<STFT>(),
};

}  // namespace

std::span<const OpEntry> signal_operators() {
  return signal_entries;
}

}  // namespace ortool
