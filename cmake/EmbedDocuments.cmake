# Run with -DFOLDER, -DFUNCTION and -DOUTPUT: writes a .cpp whose function returns the text of every .json file in a folder.
file(GLOB documents "${FOLDER}/*.json")
list(SORT documents)
set(entries "")
foreach(document IN LISTS documents)
  get_filename_component(name "${document}" NAME_WE)
  file(READ "${document}" text)
  string(APPEND entries "    {\"${name}\", R\"json(${text})json\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// JSON documents as text.
#include \"apps/ortool/embedded_documents.hpp\"

#include <array>

namespace ortool {

std::span<const EmbeddedFile> ${FUNCTION}() {
  static constexpr EmbeddedFile list[] = {
${entries}  };
  return list;
}

}  // namespace ortool
")
