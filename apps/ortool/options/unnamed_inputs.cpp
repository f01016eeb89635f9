// Input files without names, in the order of the model's inputs.
#include "apps/ortool/options/unnamed_inputs.hpp"

#include <algorithm>
#include <filesystem>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/dataset/values/value_file.hpp"
#include "libcore/graph/value_names.hpp"

namespace ortool {
namespace {

/// Whether `text` is NAME=FILE or NAME:FILE, or was meant so, and not the path of a file.
bool is_named(const std::string& text, std::span<const std::string> names) {
  const bool has_name = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return text.starts_with(name + "=") || text.starts_with(name + ":");
  });
  if (has_name) return true;
  std::error_code unknown;
  const bool is_name = std::find(names.begin(), names.end(), text) != names.end();
  return (is_name || text.find('=') != std::string::npos) &&
         !std::filesystem::exists(text, unknown);
}

[[noreturn]] void refuse_nameless(std::string_view file, std::span<const std::string> names) {
  throw Error(
      ErrorCode::invalid,
      format("option --input: {} does not say which of the {} inputs it is for", quote(file),
             names.size()),
      format("write --input {}={}, or the files after the model in the order of its inputs: "
             "{}",
             names.front(), file, list_names(names)))
      .with_id("usage.value");
}

[[noreturn]] void refuse_rest(std::span<const std::string> files, std::size_t taken,
                              std::span<const std::string> names) {
  const std::string& file = files[taken];
  const bool is_model = extension_of(file) == ".onnx";
  const bool is_one = names.size() == 1;
  std::string hint = is_model ? format("--compare model={} compares two models", file)
                              : format("the inputs are: {}", list_names(names));
  if (!is_model && is_one) hint = "--data FOLDER runs a model on every file of a folder";
  if (names.empty()) hint = "leave the files out";
  throw Error(ErrorCode::invalid,
              format("{}: {} has no input left for it", file,
                     is_one ? std::string("the model with one input")
                            : format("the model with {} inputs", names.size())),
              hint)
      .with_id("usage.argument");
}

}  // namespace

std::vector<NamedValue> name_input_files(const OptionValues& options,
                                         std::span<Value* const> inputs,
                                         std::span<const std::string> files) {
  const std::vector<std::string> names = names_of(inputs);
  const std::vector<std::string> required = required_names(inputs);
  std::vector<NamedValue> named;
  for (const std::string& text : options.all("input")) {
    if (is_named(text, names)) {
      named.push_back(split_input_value("input", text, inputs));
    } else if (required.size() == 1) {
      named.push_back({required.front(), text});
    } else {
      refuse_nameless(text, required.empty() ? names : required);
    }
  }
  std::vector<std::string> unnamed;
  for (const std::string& file : files) {
    if (is_value_set(file, inputs)) continue;
    if (is_named(file, names)) {
      named.push_back(split_input_value("input", file, inputs));
    } else {
      unnamed.push_back(file);
    }
  }
  std::vector<std::string> free;
  std::copy_if(required.begin(), required.end(), std::back_inserter(free),
               [&](const std::string& name) {
                 return std::none_of(named.begin(), named.end(),
                                     [&](const NamedValue& each) { return each.name == name; });
               });
  if (unnamed.size() > free.size()) refuse_rest(unnamed, free.size(), required);
  for (std::size_t i = 0; i < unnamed.size(); ++i) named.push_back({free[i], unnamed[i]});
  return named;
}

bool is_value_set(const std::string& file, std::span<Value* const> inputs) {
  std::error_code unknown;
  if (std::filesystem::is_directory(file, unknown)) return true;
  return extension_of(file) == ".npz" && required_names(inputs).size() > 1;
}

}  // namespace ortool
