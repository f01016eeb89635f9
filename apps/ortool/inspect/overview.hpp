// A model on one screen of text, and its nodes, weights and values as tables.
#pragma once

#include <string>

#include "libcore/graph/model.hpp"
#include "libcore/inspect/summary.hpp"

namespace ortool {

std::string overview_text(const Model& model, const Summary& summary, std::string_view path);

/// One line each; `select` chooses by name.
std::string nodes_text(const Model& model, std::string_view select);
std::string weights_text(const Model& model, std::string_view select);
std::string values_text(const Graph& graph, std::string_view select);

}  // namespace ortool
