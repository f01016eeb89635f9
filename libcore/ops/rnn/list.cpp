// The recurrent operators, one line each, sorted by domain, then name.
#include "libcore/ops/operator_lists.hpp"
#include "libcore/ops/rnn/gru.hpp"
#include "libcore/ops/rnn/lstm.hpp"
#include "libcore/ops/rnn/rnn.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry rnn_entries[] = {
    op_entry<GRU>({.set = {recurrent}}),
    op_entry<LSTM>({.set = {recurrent}}),
    op_entry<RNN>({.set = {recurrent}}),
};

}  // namespace

std::span<const OpEntry> rnn_operators() {
  return rnn_entries;
}

}  // namespace ortool
