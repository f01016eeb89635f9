// Values for a fuzzed model's inputs: of the right type, with small, odd and extreme elements.
#pragma once

#include <cstdint>

#include "libcore/runtime/session.hpp"

namespace ortool::test {

/// A value for each input that must be given; the same for the same seed. Dimensions that are open
/// become small numbers, a symbol the same one everywhere. Throws ErrorCode::unsupported for types
/// and sizes that are not made up.
NamedValues made_inputs(const Session& session, std::uint64_t seed);

/// Whether a node somewhere in the model draws random numbers.
bool is_random(const Model& model);

}  // namespace ortool::test
