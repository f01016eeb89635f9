// Options of a benchmark variant.
#pragma once

#include "apps/ortool/option_values.hpp"
#include "libcore/measure/bench/bench_variant.hpp"

namespace ortool {

/// The command line's options, overridden by the variant's. With `fixes_dims` false
/// dimensions are omitted, for a session that runs with several shapes.
OptionValues options_for(const OptionValues& options, const BenchVariant& variant,
                         bool fixes_dims = true);

}  // namespace ortool
