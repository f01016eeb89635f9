# Run with -DFOLDER and -DOUTPUT: writes a .cpp with the text of every .json file in a folder.
file(GLOB schemas "${FOLDER}/*.json")
list(SORT schemas)
set(entries "")
foreach(schema IN LISTS schemas)
  get_filename_component(name "${schema}" NAME_WE)
  file(READ "${schema}" text)
  string(APPEND entries "    {\"${name}\", R\"schema(${text})schema\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// The JSON Schemas of docs/reference/schemas as text.
#include \"apps/ortool/embedded_schemas.hpp\"

#include <array>

namespace ortool {

std::span<const EmbeddedSchema> embedded_schemas() {
  static constexpr EmbeddedSchema list[] = {
${entries}  };
  return list;
}

}  // namespace ortool
")
