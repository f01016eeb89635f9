// Sizes of random inputs where the model rejects 1: the smallest that it accepts.
#pragma once

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/infer/least_sizes.hpp"

namespace ortool {

/// The size of each free dimension of the inputs that `given` lacks, if shape inference rejects
/// 1 for them; warns of the choice and the reason. Empty if 1 is accepted or no sizes are found, as
/// for models with functions, which cannot be copied.
InputSizes choose_sizes(const Invocation& invocation, const Model& model, const InputSizes& given);

}  // namespace ortool
