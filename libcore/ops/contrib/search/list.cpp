// Contrib operators that search for sequences, one line each, sorted by domain, then name.
#include "libcore/ops/contrib/search/beam_search.hpp"
#include "libcore/ops/contrib/search/bifurcation_detector.hpp"
#include "libcore/ops/contrib/search/dynamic_time_warping.hpp"
#include "libcore/ops/contrib/search/greedy_search.hpp"
#include "libcore/ops/contrib/search/ngram_repeat_block.hpp"
#include "libcore/ops/operator_lists.hpp"

namespace ortool {
namespace {

using enum OpTrait;

constexpr OpEntry search_contrib_entries[] = {
    op_entry<BeamSearch>({.set = {control_flow}}),
    op_entry<BifurcationDetector>(),
    op_entry<DynamicTimeWarping>(),
    op_entry<GreedySearch>({.set = {control_flow}}),
    op_entry<NGramRepeatBlock>(),
    op_entry<Sampling>({.set = {control_flow, random}}),
    op_entry<WhisperBeamSearch>({.set = {control_flow}}),
};

}  // namespace

std::span<const OpEntry> search_contrib_operators() {
  return search_contrib_entries;
}

}  // namespace ortool
