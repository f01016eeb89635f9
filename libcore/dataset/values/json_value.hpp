// Values as JSON: what run writes with --output-format json, and shorter forms that people write.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/json/json.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// {dtype, shape, data} of a tensor, {kind: "sequence", elements}, {kind: "map", key_dtype, dtype,
/// keys, values} and {kind: "none"}, with `name` in front when not empty.
Json value_json(std::string_view name, const RunValue& value);

/// Reads those forms, and for a value of `type` also: nested arrays for a tensor, an array of
/// values for a sequence, an object for a map, null for an empty optional. `element` is the
/// tensors' type where the document does not say (nothing: as the numbers look). Throws
/// ErrorCode::invalid.
RunValue parse_json_value(std::string_view text, const ValueType& type,
                          std::optional<DataType> element, MemoryCap* cap);

}  // namespace ortool
