// Names offered by shell completion, from the option tables, the pass lists and a model.
#include "apps/ortool/completion/completion_names.hpp"

#include <algorithm>

#include "apps/ortool/options/model_argument.hpp"
#include "libcore/graph/graph.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/infer/infer_shapes.hpp"
#include "libcore/lower/lower.hpp"
#include "libcore/optimize/pipeline.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

/// A shell could run a part of any other name as a command.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                  (letter >= 'a' && letter <= 'z') ||
                  std::string_view("_./:@%+-").find(static_cast<char>(letter)) !=
                      std::string_view::npos;
         });
}

std::vector<std::string> input_names(const Model& model) {
  std::vector<std::string> names;
  for (const Value* input : model.inputs()) {
    if (!input->has_default()) names.emplace_back(input->name());
  }
  return names;
}

}  // namespace

std::vector<OptionSpec> offered_options(const Command& command) {
  std::vector<OptionSpec> result;
  for (const OptionGroup& group : all_options(command)) {
    for (const OptionSpec& option : group.options) {
      if (!option.is_planned) result.push_back(option);
    }
  }
  return result;
}

std::vector<std::string> offered_values(const OptionSpec& option) {
  std::vector<std::string> values(option.choices.begin(), option.choices.end());
  values.insert(values.end(), option.suggestions.begin(), option.suggestions.end());
  if (option.completes == Completion::all_passes) {
    for (const LoweringPassInfo& pass : describe_lowering()) {
      if (!pass.is_required) values.emplace_back(pass.name);
    }
  }
  if (option.completes == Completion::passes || option.completes == Completion::all_passes) {
    for (const PassDescription& pass : describe_passes(whole_pipeline()))
      values.emplace_back(pass.name);
  }
  if (option.completes == Completion::providers) {
    values.emplace_back("auto");
    for (const ProviderEntry& provider : provider_list()) values.emplace_back(provider.name);
  }
  return values;
}

bool takes_list(const OptionSpec& option) {
  return option.completes == Completion::passes || option.completes == Completion::all_passes ||
         option.completes == Completion::providers;
}

std::string_view model_names_option(Completion kind) {
  switch (kind) {
    case Completion::inputs:
      return "inputs";
    case Completion::outputs:
      return "outputs";
    case Completion::dimensions:
      return "dimensions";
    default:
      return {};
  }
}

std::vector<std::string> model_names(const std::string& path, Completion kind) {
  LoadOptions options;
  options.read_external_data = false;
  const LoadedModel loaded = load_model_at(path, options);
  const Model& model = *loaded.model;
  std::vector<std::string> names = kind == Completion::inputs    ? input_names(model)
                                   : kind == Completion::outputs ? names_of(model.outputs())
                                                                 : input_symbols(model);
  std::erase_if(names, [](const std::string& name) { return !is_plain_name(name); });
  return names;
}

std::string join_words(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

std::string shell_quote(std::string_view text, std::string_view special) {
  std::string quoted = "'";
  for (const char character : text) {
    if (special.find(character) != std::string_view::npos) quoted += '\\';
    quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return quoted + "'";
}

std::vector<std::string> command_words(std::span<const std::unique_ptr<const Command>> commands) {
  std::vector<std::string> words;
  for (const auto& command : commands) words.emplace_back(command->name());
  words.emplace_back("help");
  words.emplace_back("version");
  return words;
}

std::vector<std::string> argument_choices(const Command& command) {
  const std::vector<ArgumentSpec> arguments = command.arguments();
  return arguments.empty() ? std::vector<std::string>() : arguments.front().choices;
}

}  // namespace ortool
