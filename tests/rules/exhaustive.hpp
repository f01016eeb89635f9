// Rules on indices, on every small shape and choice.
#pragma once

namespace ortool::test {

/// Runs every rule marked exhaustive on every small graph of its kind, prints how many there were,
/// and returns how many failed, rules without graphs among them.
int run_exhaustive_cases();

}  // namespace ortool::test
