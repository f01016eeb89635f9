// Parser of NAME=VALUE options that matches the model's names, longest first.
#include "libcore/base/strings/named_value.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/base/strings/unknown_name.hpp"

namespace ortool {
namespace {

/// The longest name that `text` starts with and that is followed by one of `separators`; null if
/// none.
const std::string* match_name(std::string_view text, std::span<const std::string> names,
                              std::string_view separators, bool may_end) {
  const std::string* best = nullptr;
  for (const std::string& name : names) {
    if (name.empty() || !text.starts_with(name)) continue;
    const bool fits = text.size() == name.size()
                          ? may_end
                          : separators.find(text[name.size()]) != std::string_view::npos;
    if (fits && (best == nullptr || name.size() > best->size())) best = &name;
  }
  return best;
}

}  // namespace

NamedValue split_named_value(std::string_view option, std::string_view text,
                             std::span<const std::string> names, std::string_view what,
                             std::string_view plural) {
  const std::string* name = match_name(text, names, "=", false);
  if (name == nullptr) name = match_name(text, names, ":", false);
  if (name != nullptr) return {*name, std::string(text.substr(name->size() + 1))};

  std::size_t end = text.find('=');
  if (end == std::string_view::npos) end = text.find(':');
  if (end == std::string_view::npos) {
    throw Error(ErrorCode::invalid,
                format("option {}: {} does not have the form NAME=VALUE", setting_name(option),
                       quote(text)),
                std::find(names.begin(), names.end(), text) != names.end()
                    ? format("write {} {}=VALUE", setting_name(option), text)
                    : format("the {} are: {}", plural, list_names(names)))
        .with_id("usage.value");
  }
  throw unknown_name(what, text.substr(0, end), plural, names);
}

std::vector<std::string> split_name_list(std::string_view text, std::span<const std::string> names,
                                         std::string_view what, std::string_view plural) {
  std::vector<std::string> result;
  const std::string_view whole = text;
  while (!text.empty()) {
    const std::string* name = match_name(text, names, ",", true);
    const bool ends_in_comma = name != nullptr && text.size() == name->size() + 1;
    if (ends_in_comma || text.front() == ',') {
      throw Error(ErrorCode::invalid, format("the list {} names an empty {}", quote(whole), what),
                  format("leave the extra comma out; the {} are: {}", plural, list_names(names)))
          .with_id("usage.value");
    }
    if (name == nullptr) throw unknown_name(what, text.substr(0, text.find(',')), plural, names);
    result.push_back(*name);
    text.remove_prefix(std::min(text.size(), name->size() + 1));
  }
  return result;
}

}  // namespace ortool
