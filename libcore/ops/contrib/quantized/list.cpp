// Quantized contrib operators, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/quantized/dynamic_quantize_lstm.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

constexpr OpEntry quantized_contrib_entries[] = {
    op_entry<DynamicQuantizeLSTM>(),
};

}  // namespace

std::span<const OpEntry> quantized_contrib_operators() {
  return quantized_contrib_entries;
}

}  // namespace ortool
