# Run with -DFOLDER, -DPARTS, -DNAME and -DOUTPUT: writes a .cpp with a page's markup, style and script as the constant
# NAME. PARTS are the script's files, separated by commas, in dependency order.
string(REPLACE "," ";" parts "${PARTS}")
file(READ "${FOLDER}/page.html" page)
file(READ "${FOLDER}/style.css" style)
set(script "'use strict';\n{\n")
foreach(part IN LISTS parts)
  file(READ "${FOLDER}/${part}.js" text)
  string(APPEND script "${text}\n")
endforeach()
string(APPEND script "}\n")
file(WRITE "${OUTPUT}" "// A page that the program writes, as text.
#include \"apps/ortool/report/page_writer.hpp\"

namespace ortool {

const PageParts ${NAME} = {R\"page(${page})page\", R\"page(${style})page\", R\"page(${script})page\"};

}  // namespace ortool
")
