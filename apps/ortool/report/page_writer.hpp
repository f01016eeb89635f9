// Pages of one file: markup, style, script and a document that the script draws.
#pragma once

#include <string_view>

#include "libcore/json/json.hpp"

namespace ortool {

/// The markup holds @TITLE@, @STYLE@, @SCRIPT@, @STYLE_HASH@, @SCRIPT_HASH@ and @DATA@, each once.
struct PageParts {
  std::string_view markup;
  std::string_view style;
  std::string_view script;
};

/// The pages that are built into the program from the files in inspect/html and bench/html. Defined
/// in files that CMake writes.
extern const PageParts inspect_page;
extern const PageParts bench_page;

/// Writes the page around `document`. Whatever the document's texts hold, they stay texts: no
/// character of theirs can end the element they lie in, and the page's policy runs no script but
/// its own.
void write_page(const PageParts& page, std::string_view title, const Json& document, TextSink& out);

}  // namespace ortool
