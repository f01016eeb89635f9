// Exact products: products with quantized weights no longer round their other operand to 8 bits.
#pragma once

#include "libcore/graph/model.hpp"

namespace ortool {

/// Removes the permission to round (accuracy_level) from operators of com.microsoft, in all graphs
/// and functions.
void make_products_exact(Model& model);

/// Whether an operator, in any graph of the model, rounds its inputs to 8 bits by its definition,
/// as DynamicQuantizeLSTM does.
bool has_rounding_layers(const Model& model);

}  // namespace ortool
