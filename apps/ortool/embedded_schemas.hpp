// The JSON Schemas of docs/reference/schemas, built into the program.
#pragma once

#include <span>
#include <string_view>

namespace ortool {

struct EmbeddedSchema {
  std::string_view name;  ///< the file's name without its end
  std::string_view text;
};

/// Sorted by name. Defined in a file that CMake writes.
std::span<const EmbeddedSchema> embedded_schemas();

}  // namespace ortool
