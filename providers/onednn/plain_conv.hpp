// Convolutions of shapes that oneDNN has no fast code for.
#pragma once

#include "providers/onednn/conv_prepared.hpp"

namespace ortool::onednn {

/// Our own kernels, with weights packed in each run. `conv` must outlive it.
PreparedPtr prepare_plain_conv(const CompiledConv& conv, const ConvShape& shape,
                               const PrepareContext& context);

}  // namespace ortool::onednn
