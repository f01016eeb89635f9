// Sizes of made-up inputs where 1 is too small for the model: the least that it can compute.
#pragma once

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/infer/least_sizes.hpp"

namespace ortool {

/// The size of each free dimension of the inputs that `given` lacks, where shape inference refuses
/// 1 for them; warns of what was chosen and why. Nothing where 1 will do or no sizes are found, as
/// for models with functions, which cannot be copied.
InputSizes choose_sizes(const Invocation& invocation, const Model& model, const InputSizes& given);

}  // namespace ortool
