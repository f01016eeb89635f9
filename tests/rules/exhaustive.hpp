// Exhaustive cases of rules on indices: every small shape and choice.
#pragma once

namespace ortool::test {

/// Runs every rule marked exhaustive on all its small graphs, prints their number, and returns the
/// number of failures, counting rules without graphs.
int run_exhaustive_cases();

}  // namespace ortool::test
