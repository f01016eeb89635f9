// Input options: files, archives, folders, images, or random data.
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

/// Of random data.
OptionSpec seed_option();
OptionSpec range_option();

OptionGroup input_options();

/// Files for inputs, as arguments behind the model.
ArgumentSpec input_files_argument();

/// A value for every required input and for those with a default that the user gave,
/// in graph order. Notes random and assumed values. Throws ErrorCode::invalid for unknown
/// names, unreadable files, missing inputs, and options that apply to nothing. Inputs named in
/// `later` may be missing and are not generated. `files` are those given as arguments.
std::vector<GivenInput> gather_inputs(const Invocation& invocation, const Model& model,
                                      std::span<const std::string> later = {},
                                      std::span<const std::string> files = {});

/// Values of --range, by input. Throws ErrorCode::invalid for an invalid range or unknown input.
std::map<std::string, RandomRange, std::less<>> read_random_ranges(
    const OptionValues& options, std::span<Value* const> inputs);

}  // namespace ortool
