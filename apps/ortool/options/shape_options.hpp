// Shape options: --dim and --shape.
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

/// Values of --dim. Throws ErrorCode::invalid for symbols that are not in `symbols`.
std::map<std::string, std::int64_t, std::less<>> read_dimension_sizes(
    const OptionValues& options, const std::vector<std::string>& symbols);

/// Fixes the given dimensions and shapes of the model's inputs. Throws ErrorCode::invalid for
/// symbols and inputs that the model does not have.
void apply_shape_options(const OptionValues& options, Model& model);

/// Parses "1x3x224x224", "[1,3,224,224]" or "scalar".
Shape read_shape(std::string_view option, std::string_view text);

}  // namespace ortool
