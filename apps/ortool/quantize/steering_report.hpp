// What searches found and what is advised, for people and for the document.
#pragma once

#include <vector>

#include "apps/ortool/quantize/beyond_use.hpp"
#include "apps/ortool/quantize/choose_method.hpp"
#include "apps/ortool/quantize/keep_faster.hpp"
#include "apps/ortool/quantize/max_drop.hpp"
#include "apps/ortool/quantize/techniques.hpp"

namespace ortool {

/// Adds `accuracy`, and `search` where there was one.
void add_search(const Validation& validation, const SearchResult& found, QuantizeReport& result);

/// Adds `method_trials`.
void add_method_trials(const std::vector<MethodTrial>& trials, QuantizeReport& result);

/// Adds `techniques`.
void add_techniques(const std::vector<TechniqueTrial>& trials, QuantizeReport& result);

/// Adds `keep_faster`.
void add_kept_faster(const KeptFaster& kept, QuantizeReport& result);

/// Adds `suggestions`.
void add_suggestions(const std::vector<Suggestion>& suggestions, QuantizeReport& result);

}  // namespace ortool
