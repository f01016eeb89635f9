// The order p of a norm: a float attribute in version 1, an integer since.
#pragma once

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// Throws ErrorCode::invalid unless p is finite and at least 1.
double read_norm_order(AttributeReader& attributes, int version);

}  // namespace ortool
