// Shell completion scripts, generated from the option tables.
#pragma once

#include <string>

#include "apps/ortool/command.hpp"

namespace ortool {

std::string bash_completion(std::span<const std::unique_ptr<const Command>> commands);
std::string zsh_completion(std::span<const std::unique_ptr<const Command>> commands);
std::string fish_completion(std::span<const std::unique_ptr<const Command>> commands);

}  // namespace ortool
