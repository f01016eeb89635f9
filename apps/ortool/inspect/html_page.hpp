// HTML page of inspect: one file with the model's document and its viewer.
#pragma once

#include <string_view>

#include "libcore/json/json.hpp"

namespace ortool {

/// Writes the page around `document` (`model`, `graph`, `functions`, `summary` as with --json, and
/// `weight_statistics`). Texts of the document stay texts: none of their characters
/// can close the enclosing element, and the page's policy runs only its own script.
void write_page(std::string_view title, const Json& document, TextSink& out);

}  // namespace ortool
