// Shape inference: the type and shape of every value of a model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Checks every node against the catalog (check_node) and sets the type of every value as far as
/// the graph's inputs determine it. Dimensions become formulas over the symbols of the inputs; an
/// unnamed dimension of input 'x' is called `x_dim_2` in them. Unknown parts record their cause
/// (ValueType::unknown_because), mostly the name of a data-dependent node. A declared shape fills
/// in what cannot be inferred; if the two contradict, the inferred one wins and the model gets a
/// warning. Nodes with operators that are not in the catalog keep their declared types; the caller
/// decides whether they are errors. Bodies of If, Loop, Scan and SequenceMap are inferred in their
/// context, functions once for all calls with equal operands. Linear in the size of the model.
/// Throws ErrorCode::invalid naming the node.
void infer_shapes(Model& model);

/// Sets dimensions of graph inputs before inference: by symbol ("batch" = 4), wherever it occurs,
/// including the declarations of other values. Throws ErrorCode::invalid when no input has that
/// symbol.
void fix_dimension(Model& model, std::string_view symbol, std::int64_t number);

/// Sets the shape of a graph input. Throws ErrorCode::invalid for an unknown name (with the closest
/// one) or a shape that contradicts the declaration.
void fix_shape(Model& model, std::string_view input, const Shape& shape);

}  // namespace ortool
