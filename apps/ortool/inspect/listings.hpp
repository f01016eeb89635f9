// Listings: nodes, weights and values of a model as tables.
#pragma once

#include <string_view>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/weight_statistics.hpp"
#include "libcore/json/text_sink.hpp"

namespace ortool {

/// A row for each node, weight or value whose name `select` matches, including subgraphs and
/// functions, where the graph's name comes first. The last line counts them. Rows are
/// written as they are generated, in blocks with aligned columns.
void write_nodes(const Model& model, std::string_view select, TextSink& out);
/// `reads_weights`: with counts of zeros and anomalies.
void write_weights(const Model& model, std::string_view select, bool reads_weights, TextSink& out);
void write_values(const Model& model, std::string_view select, TextSink& out);

}  // namespace ortool
