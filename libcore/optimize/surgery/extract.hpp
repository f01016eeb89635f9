// Cutting a part out of a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libcore/graph/model.hpp"

namespace ortool {

/// What computes `outputs` from `inputs`, both names of values of the main graph. Of the graph's
/// own inputs those stay that are needed besides; they come behind. Empty `inputs`: the graph's
/// own; empty `outputs`: all of the graph. Types must have been inferred: the new inputs and
/// outputs have them, without dimensions that are formulas. Throws ErrorCode::invalid for unknown
/// names (with the nearest) and for an input that is a constant, that no output needs, or whose
/// type is not known.
std::unique_ptr<Model> extract(std::unique_ptr<Model> model, const std::vector<std::string>& inputs,
                               const std::vector<std::string>& outputs);

}  // namespace ortool
