// The recurrent operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/rnn/gru.hpp"
#include "libcore/ops/rnn/lstm.hpp"
#include "libcore/ops/rnn/rnn.hpp"

namespace ortool {
namespace {

constexpr OpEntry rnn_entries[] = {
    op_entry<GRU>(),
    op_entry<LSTM>(),
    op_entry<RNN>(),
};

}  // namespace

std::span<const OpEntry> rnn_operators() {
  return rnn_entries;
}

}  // namespace ortool
