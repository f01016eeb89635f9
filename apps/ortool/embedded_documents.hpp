// JSON documents that are built into the program: schemas, and device descriptions.
#pragma once

#include <span>
#include <string_view>

namespace ortool {

struct EmbeddedFile {
  std::string_view name;  ///< the file's name without its end
  std::string_view text;
};

/// Sorted by name, like those below. Both are defined in files that CMake writes.
std::span<const EmbeddedFile> embedded_schemas();
std::span<const EmbeddedFile> embedded_devices();

}  // namespace ortool
