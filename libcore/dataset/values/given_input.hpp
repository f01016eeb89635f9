// Given inputs: values for a run, with their sources.
#pragma once

#include <span>
#include <string>

#include "libcore/runtime/session.hpp"

namespace ortool {

struct GivenInput {
  std::string name;
  RunValue value;
  std::string source;  ///< "file x.npy", "random, seed 0"
};

NamedValues named_values(std::span<const GivenInput> inputs);

}  // namespace ortool
