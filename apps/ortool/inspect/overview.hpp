// Overview of a model on one screen of text.
#pragma once

#include <string>

#include "apps/ortool/inspect/inspection.hpp"

namespace ortool {

/// At most 40 lines for any model.
std::string overview_text(const Inspection& inspection);

/// "300 M", or the formula.
std::string cost_text(const Cost& cost);

}  // namespace ortool
