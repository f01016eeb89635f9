// Operators on sound beyond ONNX's own, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/signal/audio_decoder.hpp"
#include "libcore/ops/contrib/signal/signal_segments.hpp"
#include "libcore/ops/contrib/signal/stft_norm.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry signal_contrib_entries[] = {
    op_entry<extensions::AudioDecoder>(),
    op_entry<extensions::MergeSignalSegments>(),
    op_entry<extensions::SplitSignalSegments>(),
    op_entry<extensions::StftNorm>(),
};

}  // namespace

std::span<const OpEntry> signal_contrib_operators() {
  return signal_contrib_entries;
}

}  // namespace ortool
