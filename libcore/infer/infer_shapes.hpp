// Inferring the type and shape of every value of a model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "libcore/graph/model.hpp"

namespace ortool {

/// Checks every node against the catalog (check_node) and sets the type of every value, as far as
/// the graph's inputs let it be known. Dimensions become formulas over the symbols of the inputs; a
/// nameless dimension of input 'x' is `x_dim_2` in them. What stays unknown says why
/// (ValueType::unknown_because): mostly the name of the node whose data decides it. A shape that
/// the file declares fills in what cannot be inferred; where the two contradict each other, the
/// inferred one stays and the model gets a warning. Nodes whose operator the catalog lacks keep
/// what the file declares; the caller decides whether they are errors. Bodies of If, Loop, Scan and
/// SequenceMap are inferred with what is known where they stand, functions once for all calls that
/// look the same. Time grows linearly with the model. Throws ErrorCode::invalid naming the node.
void infer_shapes(Model& model);

/// Gives dimensions of graph inputs a number before inference: by symbol ("batch" = 4) everywhere
/// it stands, in what the file declares of other values too. Throws ErrorCode::invalid when no
/// input has that symbol.
void fix_dimension(Model& model, std::string_view symbol, std::int64_t number);

/// Gives a graph input a fixed shape. Throws ErrorCode::invalid for an unknown name (with the
/// nearest) or a shape that contradicts the declared one.
void fix_shape(Model& model, std::string_view input, const Shape& shape);

}  // namespace ortool
