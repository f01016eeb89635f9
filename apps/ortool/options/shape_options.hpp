// Shape options: --dim, --shape and --nchwc-block.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/tensor/shape.hpp"

namespace ortool {

OptionGroup shape_options();
/// --nchwc-block, which is among them.
OptionSpec nchwc_block_option();

/// Values of --dim. Throws ErrorCode::invalid for symbols that are not in `symbols`.
std::map<std::string, std::int64_t, std::less<>> read_dimension_sizes(
    const OptionValues& options, const std::vector<std::string>& symbols);

/// Fixes the given dimensions and shapes of the model's inputs, and states its size of blocks.
/// Throws ErrorCode::invalid for symbols and inputs that the model does not have.
void apply_shape_options(const OptionValues& options, Model& model);

/// States the size of blocks if --nchwc-block gives it. Throws ErrorCode::invalid for a model
/// without blocks.
void apply_nchwc_block(const OptionValues& options, Model& model);

/// Parses "1x3x224x224", "[1,3,224,224]" or "scalar".
Shape read_shape(std::string_view option, std::string_view text);

}  // namespace ortool
