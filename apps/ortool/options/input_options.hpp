// Where the inputs come from: files, archives, folders, pictures, or made up.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/graph/model.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

OptionGroup input_options();

struct GivenInput {
  std::string name;
  RunValue value;
  std::string source;  ///< "file x.npy", "random, seed 0"
};

/// A value for every input that the model wants and for those with a default that the user gave,
/// in the graph's order. Says what was made up or guessed. Throws ErrorCode::invalid for unknown
/// names, unreadable files, missing inputs, and options that apply to nothing. Inputs called as one
/// of `later` may be missing and are not made up.
std::vector<GivenInput> gather_inputs(const Invocation& invocation, const Model& model,
                                      std::span<const std::string> later = {});

NamedValues named_values(std::span<const GivenInput> inputs);

}  // namespace ortool
