// Chosen outputs: the word `all`, and names of outputs and of values between nodes.
#include "apps/ortool/run/chosen_outputs.hpp"

#include <algorithm>

#include "libcore/base/error.hpp"
#include "libcore/base/strings/named_value.hpp"
#include "libcore/base/strings/parse_number.hpp"
#include "libcore/graph/value_names.hpp"
#include "libcore/optimize/surgery/expose_values.hpp"

namespace ortool {
namespace {

constexpr std::string_view all_word = "all";

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void expose_chosen_outputs(const OptionValues& options, Model& model) {
  if (!options.has("outputs")) return;
  const std::vector<std::string> inner = intermediate_values(model);
  if (chosen_outputs(options).empty()) return expose_values(model, inner);
  std::vector<std::string> known = names_of(model.outputs());
  known.insert(known.end(), inner.begin(), inner.end());
  known.emplace_back(all_word);
  expose_outputs_named(
      split_name_list(options.text("outputs"), known, "output", "outputs and inner values"), model);
}

void expose_outputs_named(std::span<const std::string> names, Model& model) {
  const std::vector<std::string> inner = intermediate_values(model);
  std::vector<std::string> exposed;
  for (const std::string& name : names) {
    if (holds(inner, name) && !holds(exposed, name)) exposed.push_back(name);
  }
  expose_values(model, exposed);
}

std::string chosen_outputs(const OptionValues& options) {
  const std::string text = options.text("outputs");
  return holds(split(text, ','), std::string(all_word)) ? std::string() : text;
}

std::vector<std::size_t> chosen_positions(const OptionValues& options,
                                          std::span<Value* const> outputs) {
  const std::vector<std::string> names = names_of(outputs);
  const std::string chosen = chosen_outputs(options);
  const std::vector<std::string> wanted =
      chosen.empty() ? names : split_name_list(chosen, names, "output", "outputs");
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (holds(wanted, names[i])) positions.push_back(i);
  }
  return positions;
}

std::vector<Output> pick_outputs(const OptionValues& options, const Session& session,
                                 std::vector<RunValue> results) {
  std::vector<Output> outputs;
  for (const std::size_t i : chosen_positions(options, session.outputs())) {
    const Value& output = *session.outputs()[i];
    outputs.push_back({std::string(output.name()), i, std::move(results[i]), output.type()});
  }
  return outputs;
}

}  // namespace ortool
