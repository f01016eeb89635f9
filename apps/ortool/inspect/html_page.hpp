// inspect --format html: one file with the model's document and everything needed to look at it.
#pragma once

#include <string_view>

#include "libcore/graph/model.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// A list of [name, least, most, mean, standard deviation] for the stored tensors of numbers; empty
/// unless `reads_weights`. Reads them while it is written; the model outlives it.
Json weight_ranges(const Model& model, bool reads_weights);

/// Writes the page around `document` (`model`, `graph`, `functions`, `summary` as with --json, and
/// `weight_statistics`). Whatever the document's texts hold, they stay texts: no character of
/// theirs can end the element they lie in, and the page's policy runs no script but its own.
void write_page(std::string_view title, const Json& document, TextSink& out);

}  // namespace ortool
