// Optimization levels: how far a graph may be rewritten.
#pragma once

namespace ortool {

/// `none` leaves the graph unchanged, `basic` keeps results bit-identical, `extended` keeps them
/// within a few ulp, `all` adds operators that only ortool's own kernels can run.
enum class OptimizeLevel { none, basic, extended, all };

}  // namespace ortool
