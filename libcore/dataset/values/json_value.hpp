// Values as JSON: the output of run --output-format json, and shorter forms as input.
#pragma once

#include <optional>
#include <string_view>

#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/graph/value_type.hpp"
#include "libcore/json/json.hpp"
#include "libcore/tensor/run_value.hpp"

namespace ortool {

/// {dtype, shape, data} for a tensor, {kind: "sequence", elements}, {kind: "map", key_dtype, dtype,
/// keys, values} and {kind: "none"}, preceded by `name` unless empty.
Json value_json(std::string_view name, const RunValue& value);

/// Reads these forms, and for a value of `type` also: nested arrays for a tensor, an array of
/// values for a sequence, an object for a map, null for an empty optional. `element` is the
/// tensors' type if the document does not give it (nothing: derived from the numbers). Throws
/// ErrorCode::invalid.
RunValue parse_json_value(std::string_view text, const ValueType& type,
                          std::optional<DataType> element, MemoryCap* cap);

}  // namespace ortool
