// HTML page of inspect: one file with the model's document and its viewer.
#pragma once

#include <string_view>

#include "libcore/graph/model.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// A list of [name, least, most, mean, standard deviation] for the stored tensors of numbers; empty
/// unless `reads_weights`. Reads them while it is written; the model outlives it.
Json weight_ranges(const Model& model, bool reads_weights);

/// Writes the page around `document` (`model`, `graph`, `functions`, `summary` as with --json, and
/// `weight_statistics`). Texts of the document stay texts: none of their characters
/// can close the enclosing element, and the page's policy runs only its own script.
void write_page(std::string_view title, const Json& document, TextSink& out);

}  // namespace ortool
