// The attribute p of a norm: a float in version 1, an integer since.
#pragma once

#include "libcore/ops/attribute_reader.hpp"

namespace ortool {

/// Throws ErrorCode::invalid for what no norm has: p must be finite and at least 1.
double read_norm_order(AttributeReader& attributes, int version);

}  // namespace ortool
