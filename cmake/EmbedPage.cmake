# Run with -DFOLDER and -DOUTPUT: writes a .cpp with the page, the style and the script of inspect's html format.
# The script's parts in the order in which they build on each other.
set(parts formula model groups layers layout draw panel view events)
file(READ "${FOLDER}/page.html" page)
file(READ "${FOLDER}/style.css" style)
set(script "'use strict';\n{\n")
foreach(part IN LISTS parts)
  file(READ "${FOLDER}/${part}.js" text)
  string(APPEND script "${text}\n")
endforeach()
string(APPEND script "}\n")
file(WRITE "${OUTPUT}" "// The parts of the page that inspect --format html writes, as text.
#include \"apps/ortool/inspect/embedded_page.hpp\"

namespace ortool {

const std::string_view page_template = R\"page(${page})page\";
const std::string_view page_style = R\"page(${style})page\";
const std::string_view page_script = R\"page(${script})page\";

}  // namespace ortool
")
