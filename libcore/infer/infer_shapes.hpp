// Inferring the type and shape of every value of a model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Checks every node against the catalog (check_node) and sets the type of every value, as far as
/// the graph's inputs let it be known. Symbols of the inputs carry over. Declared types of values
/// (value_info, outputs) are refined, never trusted for sizes: a declared shape that contradicts
/// the inferred one is an ErrorCode::invalid when the rank or a number differs. Nodes with
/// operators that the catalog lacks keep what the file declares; the caller decides whether they
/// are errors. Throws ErrorCode::invalid naming the node.
void infer_shapes(Model& model);

/// Gives dimensions of graph inputs a number before inference: by symbol ("batch" = 4) everywhere
/// it stands. Throws ErrorCode::invalid when no input has that symbol.
void fix_dimension(Model& model, std::string_view symbol, std::int64_t number);

/// Gives a graph input a fixed shape. Throws ErrorCode::invalid for an unknown name (with the
/// nearest) or a shape that contradicts the declared one.
void fix_shape(Model& model, std::string_view input, const Shape& shape);

}  // namespace ortool
