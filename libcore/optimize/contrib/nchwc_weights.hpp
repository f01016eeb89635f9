// NCHWc weights of files that ONNX Runtime saved: the size of their blocks, and plain weights.
#pragma once

#include <cstdint>
#include <string_view>

#include "libcore/graph/graph.hpp"
#include "libcore/graph/model.hpp"

namespace ortool {

/// Makes the convolutions of com.microsoft.nchwc read plain weights, and pads what ReorderInput
/// reads to whole blocks of channels, so that each of the domain's operators means its namesake on
/// NCHW. Types and shapes must have been inferred. Blocks have the size that the model's metadata
/// state, else the only one that fits, else the one that the weights speak for, with a warning in
/// the log. Throws ErrorCode::unsupported if none of these says.
void restore_plain_weights(Graph& graph, const Metadata& metadata);

/// The key of the model's metadata under which the size of blocks is stated.
inline constexpr std::string_view nchwc_block_key = "ortool.nchwc_block";

/// States the size of blocks in the model's metadata, where `restore_plain_weights` finds it.
void state_nchwc_block(Model& model, std::int64_t block);
/// Removes the statement, once no weights are in blocks.
void forget_nchwc_block(Model& model);

}  // namespace ortool
