// Model extraction between named inputs and outputs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// The part that computes `outputs` from `inputs`, both names of values of the main graph. Original
/// graph inputs that are still needed are kept, after these. Empty `inputs`: those of the graph;
/// empty `outputs`: all of the graph. Types must have been inferred: the new inputs and outputs get
/// them, without dimensions that are formulas. Throws ErrorCode::invalid for unknown names (with
/// the nearest match) and for an input that is constant, that no output needs, or whose type is
/// unknown.
std::unique_ptr<Model> extract(std::unique_ptr<Model> model, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs);

}  // namespace ortool
