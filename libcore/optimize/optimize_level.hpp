// How far a graph may be rewritten.
#pragma once

namespace ortool {

/// `none` leaves it as it is, `basic` keeps every bit, `extended` keeps the numbers within a few
/// ulp, `all` adds what only ortool's own kernels can run.
enum class OptimizeLevel { none, basic, extended, all };

}  // namespace ortool
