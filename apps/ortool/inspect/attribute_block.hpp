// JSON of node attributes.
#pragma once

#include <cstdint>

#include "libcore/graph/attribute.hpp"
#include "libcore/graph/node.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// Numbers and strings as they are; tensors as {dtype, shape, data} with `data` only up to
/// `max_elements`; graphs as {graph: NAME}, since they are listed in the node's `subgraphs`;
/// references to function attributes as {reference: NAME}.
Json attribute_block(const Attribute& attribute, std::int64_t max_elements);

Json metadata_block(const Metadata& metadata);

}  // namespace ortool
