// Fallback convolution for shapes for which oneDNN has no fast code.
#pragma once

#include "providers/onednn/conv_prepared.hpp"

namespace ortool::onednn {

/// Uses the cpu kernels, with weights packed in each run. `conv` must outlive the result.
PreparedPtr prepare_whole_conv(const CompiledConv& conv, const ConvShape& shape,
                               const PrepareContext& context);

}  // namespace ortool::onednn
