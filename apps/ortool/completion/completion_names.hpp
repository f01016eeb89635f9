// Names offered by shell completion: values of options, and names of a model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/ortool/command.hpp"

namespace ortool {

/// The options of a command that completion offers.
std::vector<OptionSpec> offered_options(const Command& command);

/// The values of an option that are known without a model: choices, suggestions, passes, providers.
std::vector<std::string> offered_values(const OptionSpec& option);

/// Whether the option takes several of them, separated by commas.
bool takes_list(const OptionSpec& option);

/// "inputs" for those of a model; empty for kinds that are not names of a model. The option
/// of `ortool completion` that lists them has "-of" after it.
std::string_view model_names_option(Completion kind);

/// Names of inputs, outputs or dimensions of the model at `path`, without reading weights; only
/// those that no shell would interpret.
std::vector<std::string> model_names(const std::string& path, Completion kind);

/// Words with `separator` between them.
std::string join_words(const std::vector<std::string>& words, std::string_view separator = " ");

/// `text` in single quotes for a shell, with a backslash before each of `special`.
std::string shell_quote(std::string_view text, std::string_view special = {});

/// Names of all commands and their aliases.
std::vector<std::string> command_words(std::span<const std::unique_ptr<const Command>> commands);

/// Values of a command's first argument; empty: a file.
std::vector<std::string> argument_choices(const Command& command);

}  // namespace ortool
