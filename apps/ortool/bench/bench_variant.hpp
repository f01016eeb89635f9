// Options of a benchmark variant.
#pragma once

#include "apps/ortool/command.hpp"
#include "libcore/measure/bench/bench_variant.hpp"

namespace ortool {

/// The command line's options, overridden by the variant's. With `fixes_dims` false
/// dimensions are omitted, for a session that runs with several shapes.
OptionValues options_for(const OptionValues& options, const BenchVariant& variant,
                         bool fixes_dims = true);

/// `invocation` with other options, which must outlive the result.
Invocation with_options(const Invocation& invocation, const OptionValues& options);

}  // namespace ortool
