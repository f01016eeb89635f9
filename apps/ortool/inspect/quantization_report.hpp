// Quantization report of a model, as JSON and text.
#pragma once

#include <string>

#include "libcore/inspect/quantization.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// Scales and zero points up to `max_elements` each. The argument must outlive the block.
Json quantization_block(const QuantizationReadout& readout, std::int64_t max_elements);

/// One line: "int8 weights (52 of 53 with a scale per channel), uint8 activations, 99 quantized and
/// 2 float nodes".
std::string quantization_line(const QuantizationReadout& readout);

/// Every tensor in a table, then float32 subgraphs and unpaired nodes with their reasons.
void write_quantization(const QuantizationReadout& readout, TextSink& out);

}  // namespace ortool
