// Where the inputs come from: files, archives, folders, pictures, or made up.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/dataset/values/given_input.hpp"
#include "libcore/dataset/values/random_inputs.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

OptionGroup input_options();

/// A value for every input that the model wants and for those with a default that the user gave,
/// in the graph's order. Says what was made up or guessed. Throws ErrorCode::invalid for unknown
/// names, unreadable files, missing inputs, and options that apply to nothing. Inputs called as one
/// of `later` may be missing and are not made up.
std::vector<GivenInput> gather_inputs(const Invocation& invocation, const Model& model,
                                      std::span<const std::string> later = {});

/// What --range says, by input. Throws ErrorCode::invalid for what is no range or no input.
std::map<std::string, RandomRange, std::less<>> read_random_ranges(
    const OptionValues& options, std::span<const std::string> inputs);

}  // namespace ortool
