// A model on one screen of text.
#pragma once

#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/summary.hpp"

namespace ortool {

/// At most 40 lines for any model.
std::string overview_text(const Model& model, const Summary& summary, std::string_view path);

/// "300 M", or the formula.
std::string cost_text(const Cost& cost);

}  // namespace ortool
