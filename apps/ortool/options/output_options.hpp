// Output options of run: which ones, their highest scores, and files.
#pragma once

#include "apps/ortool/command.hpp"

namespace ortool {

OptionGroup output_options();

/// --labels: names of the classes, or the ground truth of a metric.
OptionSpec labels_option();

/// --iterations.
OptionSpec iterations_option();

}  // namespace ortool
