// The options of a variant.
#pragma once

#include "apps/ortool/command.hpp"
#include "libcore/measure/bench/bench_variant.hpp"

namespace ortool {

/// The command line's options with what the variant says in their place. With `fixes_dims` false
/// the dimensions are left out, for a session that sees several shapes.
OptionValues options_for(const OptionValues& options, const BenchVariant& variant,
                         bool fixes_dims = true);

/// `invocation` with other options, which must outlive the result.
Invocation with_options(const Invocation& invocation, const OptionValues& options);

}  // namespace ortool
