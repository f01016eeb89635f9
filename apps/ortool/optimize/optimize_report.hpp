// Report of optimize: the effects of rewriting, as JSON and text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/inspect/model_size.hpp"
#include "libcore/json/json.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "libcore/optimize/rewrite/closest_matches.hpp"

namespace ortool {

/// [{name, applied, ms, nodes_before, …}] from the size before the first pass on: rules take turns,
/// so that each begins where the ones before it in the list ended in sum.
Json passes_block(const RewriteReport& report, ModelSize before);
/// [{rule, node, reason}], each place once, except where the same rule applied in the end.
Json near_misses_block(const RewriteReport& report);
/// [{rule, node, found, expected, nodes, reason}].
Json closest_block(std::span<const ClosestMatch> matches);
/// [{name, level, summary, evidence}].
Json pass_list_block(std::span<const PassDescription> passes);

std::string passes_text(const RewriteReport& report);
std::string near_misses_text(const RewriteReport& report);
std::string closest_text(std::span<const ClosestMatch> matches);
std::string pass_list_text(std::span<const PassDescription> passes);

}  // namespace ortool
