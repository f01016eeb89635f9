// Lowering report: what each pass did between a model's file and its session.
#pragma once

#include <string>

#include "libcore/json/json.hpp"
#include "libcore/lower/lower.hpp"

namespace ortool {

/// A list of the passes that ran, each with its nodes, changes and time; `rewrite` lists the passes
/// and rules of 'ortool optimize' that it ran.
Json lowering_block(const LoweringReport& report);
/// The same as a table, with what `rewrite` applied below it.
std::string lowering_text(const LoweringReport& report);

/// All lowering passes, in order.
Json lowering_list_block();
std::string lowering_list_text();

}  // namespace ortool
