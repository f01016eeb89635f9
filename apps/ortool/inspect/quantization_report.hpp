// The read-out of a model's quantisation, as JSON and as text.
#pragma once

#include <string>

#include "libcore/inspect/quantization.hpp"
#include "libcore/json/json.hpp"

namespace ortool {

/// Scales and zero points up to `most_elements` each. The read-out must outlive the block.
Json quantization_block(const QuantizationReadout& readout, std::int64_t most_elements);

/// A line: "int8 weights (52 of 53 a channel), uint8 activations, 99 of 101 nodes, 2 float
/// islands".
std::string quantization_line(const QuantizationReadout& readout);

/// Every tensor in a table, then islands and nodes without partner with their reasons.
void write_quantization(const QuantizationReadout& readout, TextSink& out);

}  // namespace ortool
