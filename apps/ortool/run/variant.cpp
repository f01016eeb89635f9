// Comparison variant: parses KEY=VALUE[,KEY=VALUE]; a comma inside a path stays part of it.
#include "apps/ortool/run/variant.hpp"

#include <algorithm>
#include <array>

#include "apps/ortool/options/execution_options.hpp"
#include "apps/ortool/options/provider_options.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "providers/provider_list.hpp"

namespace ortool {
namespace {

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = {"provider", "isa",       "model",    "optimize",
                                                "threads",  "execution", "precision"};
  return keys;
}

/// Where the next ",KEY=" of a known key begins, or the end.
std::size_t next_setting(std::string_view text) {
  for (std::size_t comma = text.find(','); comma != std::string_view::npos;
       comma = text.find(',', comma + 1)) {
    for (const std::string& key : known_keys()) {
      if (text.substr(comma + 1).starts_with(key + "=")) return comma;
    }
  }
  return text.size();
}

/// As the option of that name takes it.
void check_as_option(std::string_view key, const std::string& value) {
  const std::vector<OptionGroup> groups = {execution_options(), provider_options()};
  const OptionSpec& option = *find_option(groups, key);
  if (option.is_list) check_list_elements("compare", value);
  if (option.range) check_number(format("compare {}", key), value, *option.range);
  const std::vector<std::string_view>& choices = option.choices;
  if (choices.empty()) return;
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  throw unknown_name(format("{} in --compare", key), value, "values",
                     std::vector<std::string>(choices.begin(), choices.end()));
}

void set_isa(const std::string& value, Variant& variant) {
  constexpr std::array<std::string_view, 4> levels = {"baseline", "avx2", "avx512", "amx"};
  if (std::find(levels.begin(), levels.end(), value) == levels.end()) {
    throw unknown_name("isa in --compare", value, "instruction sets",
                       std::vector<std::string>(levels.begin(), levels.end()));
  }
  const std::vector<std::string> here = isa_names();
  if (std::find(here.begin(), here.end(), value) == here.end()) {
    throw Error(ErrorCode::provider_unavailable,
                format("option --compare: this processor does not support {}", value),
                format("it supports: {}", list_names(here)))
        .with_id("provider.isa");
  }
  variant.max_isa = value;
}

void set(const std::string& key, const std::string& value, Variant& variant) {
  if (key == "model") {
    variant.model_path = value;
  } else if (key == "isa") {
    set_isa(value, variant);
  } else {
    check_as_option(key, value);
    variant.options.emplace_back(key, value);
  }
}

Variant read_variant(const std::string& text) {
  Variant variant;
  variant.text = text;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = next_setting(rest);
    const std::string_view setting = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 1));
    const std::size_t equals = setting.find('=');
    const std::string key(setting.substr(0, equals));
    if (std::find(known_keys().begin(), known_keys().end(), key) == known_keys().end()) {
      throw unknown_name("key in --compare", key, "keys", known_keys());
    }
    if (equals == std::string_view::npos || equals + 1 == setting.size()) {
      throw Error(ErrorCode::invalid, format("option --compare: {} has no value", quote(key)),
                  "write it like --compare optimize=none")
          .with_id("usage.value");
    }
    set(key, std::string(setting.substr(equals + 1)), variant);
  }
  return variant;
}

}  // namespace

OptionGroup compare_options() {
  return {
      "Comparing with another configuration (exit 1 if different)",
      {
          {.name = "compare",
           .value = "KEY=VALUE",
           .help = "provider=P, isa=avx2, model=OTHER.onnx, optimize=none, threads=N",
           .repeats = true,
           .suggestions = {"provider=", "isa=", "model=", "optimize=", "precision=", "threads="}},
      }};
}

std::vector<Variant> read_variants(const OptionValues& options) {
  std::vector<Variant> variants;
  for (const std::string& text : options.all("compare")) variants.push_back(read_variant(text));
  return variants;
}

}  // namespace ortool
