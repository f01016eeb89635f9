// Input files without names: which input of the model each is for.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/graph/value.hpp"

namespace ortool {

/// The input and path of each --input, and of `files` (arguments after MODEL): NAME=FILE, or a file
/// for the model's only input; several arguments are for the inputs without a default, in order,
/// that nothing else names. Throws ErrorCode::invalid where that is not clear.
std::vector<NamedValue> name_input_files(const OptionValues& options,
                                         std::span<Value* const> inputs,
                                         std::span<const std::string> files);

/// Whether an argument after MODEL holds values of several inputs: a folder, or an archive for a
/// model with several inputs.
bool is_value_set(const std::string& file, std::span<Value* const> inputs);

}  // namespace ortool
