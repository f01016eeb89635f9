// HTML page of inspect.
#include "apps/ortool/inspect/html_page.hpp"

#include "apps/ortool/report/page_writer.hpp"

namespace ortool {

void write_page(std::string_view title, const Json& document, TextSink& out) {
  write_page(inspect_page, title, document, out);
}

}  // namespace ortool
