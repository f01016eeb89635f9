// Random inputs for fuzzed models: values of the right type, with small, odd and extreme elements.
#pragma once

#include <cstdint>

#include "libcore/runtime/session.hpp"

namespace ortool::test {

/// A value for each required input, deterministic for a seed. Unknown dimensions become small
/// numbers, each symbol the same one everywhere. Throws ErrorCode::unsupported for types and sizes
/// that cannot be generated.
NamedValues made_inputs(const Session& session, std::uint64_t seed);

/// Whether any node of the model draws random numbers.
bool is_random(const Model& model);

}  // namespace ortool::test
