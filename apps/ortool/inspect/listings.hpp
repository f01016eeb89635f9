// The nodes, weights and values of a model as tables.
#pragma once

#include <string_view>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/weight_statistics.hpp"
#include "libcore/json/text_sink.hpp"

namespace ortool {

/// A row for each node, weight or value whose name `select` fits, subgraphs and functions included;
/// names of inner ones stand behind the graph's. Below, how many of how many are listed. Rows are
/// written as they are made, in blocks whose columns are aligned.
void write_nodes(const Model& model, std::string_view select, TextSink& out);
/// `reads_weights`: with counts of zeros and of what is odd.
void write_weights(const Model& model, std::string_view select, bool reads_weights, TextSink& out);
void write_values(const Model& model, std::string_view select, TextSink& out);

}  // namespace ortool
