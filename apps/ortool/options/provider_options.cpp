// Provider options: resolves the given providers.
#include "apps/ortool/options/provider_options.hpp"

#include <algorithm>

#include "apps/ortool/options/precision_options.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/base/strings/unknown_name.hpp"
#include "libcore/optimize/rewrite/rewriter.hpp"

namespace ortool {
namespace {

/// The provider, or null with the reason.
std::shared_ptr<const Provider> make_provider(const ProviderEntry& entry, std::string& reason,
                                              const ProviderSettings& settings = {}) {
  if (entry.make == nullptr) {
    reason = entry.unavailable_because;
    return nullptr;
  }
  std::shared_ptr<const Provider> provider = entry.make(settings);
  reason = provider->unavailable_because();
  return reason.empty() ? provider : nullptr;
}

Json provider_block(const ProviderEntry& entry, const Provider* provider,
                    const std::string& reason) {
  return Json::object()
      .set("name", entry.name)
      .set("version", provider != nullptr ? Json(provider->version()) : Json())
      .set("available", provider != nullptr)
      .set("reason", provider != nullptr ? Json() : Json(reason));
}

ProviderEntry find_provider(std::string_view name) {
  std::vector<std::string> known = {"auto"};
  for (ProviderEntry& entry : provider_list()) {
    if (entry.name == name || (!name.empty() && entry.long_name == name)) return std::move(entry);
    known.emplace_back(entry.name);
  }
  throw unknown_name("provider", name, "providers", known);
}

/// The values of --provider-option for one provider.
std::vector<std::pair<std::string, std::string>> settings_of(const OptionValues& options,
                                                             std::string_view provider) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const std::string& setting : options.all("provider-option")) {
    const std::size_t dot = setting.find('.');
    const std::size_t equals = setting.find('=', dot);
    if (find_provider(setting.substr(0, dot)).name != provider) continue;
    settings.emplace_back(setting.substr(dot + 1, equals - dot - 1), setting.substr(equals + 1));
  }
  return settings;
}

/// The settings of a provider, with what --precision means for cuda unless they say otherwise.
std::vector<std::pair<std::string, std::string>> settings_with_precision(
    const OptionValues& options, std::string_view provider) {
  auto settings = settings_of(options, provider);
  const std::string precision = device_precision(options);
  const bool is_given = std::any_of(settings.begin(), settings.end(), [](const auto& setting) {
    return setting.first == "precision";
  });
  if (provider == "cuda" && !precision.empty() && !is_given)
    settings.emplace_back("precision", precision);
  return settings;
}

void check_provider_settings(const Invocation& invocation) {
  for (const std::string& setting : invocation.options.all("provider-option")) {
    const std::size_t dot = setting.find('.');
    if (dot == std::string::npos || setting.find('=', dot) == std::string::npos) {
      throw Error(ErrorCode::invalid,
                  format("option --provider-option: {} does not have the form PROVIDER.KEY=VALUE",
                         quote(setting)),
                  "write it like openvino.device=CPU")
          .with_id("usage.value");
    }
    const ProviderEntry entry = find_provider(setting.substr(0, dot));
    if (entry.takes_options) continue;
    throw Error(entry.make == nullptr ? ErrorCode::provider_unavailable : ErrorCode::invalid,
                format("option --provider-option: provider '{}' has no options in this version",
                       entry.name),
                "leave --provider-option out")
        .with_id("usage.provider_option");
  }
}

struct Pin {
  std::string pattern;
  std::string provider;
};

bool fits_any(std::string_view pattern, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return matches_glob(name, pattern); });
}

std::vector<Pin> read_pins(const OptionValues& options) {
  std::vector<Pin> pins;
  for (const std::string& text : options.all("node-provider")) {
    // Names of nodes may contain equals signs, names of providers do not.
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(
          ErrorCode::invalid,
          format("option --node-provider: {} does not have the form GLOB=PROVIDER", quote(text)),
          "write it like --node-provider 'conv*=cpu'")
          .with_id("usage.value");
    }
    pins.push_back({text.substr(0, equals), find_provider(text.substr(equals + 1)).name});
  }
  return pins;
}

}  // namespace

OptionGroup provider_options() {
  return {"Providers",
          {
              {.name = "provider",
               .value = "NAMES",
               .help = "execution providers, preferred first: onednn,cpu (default: auto)",
               .is_list = true,
               .completes = Completion::providers},
              {.name = "provider-option",
               .value = "PROVIDER.KEY=VALUE",
               .help = "a setting of one provider",
               .repeats = true},
              {.name = "node-provider",
               .value = "GLOB=NAME",
               .help = "run nodes with these names on that provider, if it can",
               .repeats = true},
              {.name = "strict-provider",
               .help = "run every node on the first provider named, or exit 4"},
          }};
}

std::vector<std::shared_ptr<const Provider>> choose_providers(const Invocation& invocation,
                                                              std::string_view max_isa,
                                                              bool needs_first) {
  check_provider_settings(invocation);
  const bool is_strict = needs_first || invocation.options.flag("strict-provider");
  std::vector<ProviderEntry> wanted;
  bool is_automatic = false;
  for (const std::string& name : split(invocation.options.text("provider", "auto"), ',')) {
    if (name != "auto") {
      wanted.push_back(find_provider(name));
      continue;
    }
    is_automatic = true;
    for (ProviderEntry& entry : provider_list()) {
      if (entry.is_automatic) wanted.push_back(std::move(entry));
    }
  }
  const PrecisionChoice precision = chosen_precision(invocation.options, max_isa);

  std::vector<std::shared_ptr<const Provider>> chosen;
  std::string missing;
  std::vector<std::string> warnings;  // an error says the same once
  for (const ProviderEntry& entry : wanted) {
    const ProviderSettings settings{
        .max_isa = max_isa,
        .precision = precision.precision,
        .options = settings_with_precision(invocation.options, entry.name),
        .cache_dir = invocation.options.text("cache-dir", "")};
    std::string reason;
    std::shared_ptr<const Provider> provider;
    // Settings are checked by the provider itself.
    if (is_automatic && entry.useless_because != nullptr && settings.options.empty())
      reason = entry.useless_because();
    if (reason.empty()) provider = make_provider(entry, reason, settings);
    invocation.report.add_provider(provider_block(entry, provider.get(), reason));
    if (provider != nullptr) {
      const bool is_there = std::any_of(chosen.begin(), chosen.end(), [&](const auto& other) {
        return other->name() == provider->name();
      });
      if (!is_there) chosen.push_back(std::move(provider));
      continue;
    }
    const std::string sentence = format("provider '{}' is not available: {}", entry.name, reason);
    if (!is_automatic && !is_strict) warnings.push_back(sentence);
    if (!missing.empty()) missing += "; ";
    missing += sentence;
    if (is_strict && &entry == &wanted.front() && !is_automatic) break;
  }
  const bool first_is_missing = is_strict && !is_automatic &&
                                (chosen.empty() || chosen.front()->name() != wanted.front().name);
  if (chosen.empty() || first_is_missing) {
    throw Error(ErrorCode::provider_unavailable, missing,
                "`ortool providers` lists what is available")
        .with_id("provider.unavailable");
  }
  for (const std::string& warning : warnings) invocation.warn(warning);
  const bool has_cpu = std::any_of(chosen.begin(), chosen.end(),
                                   [](const auto& provider) { return provider->name() == "cpu"; });
  if (!has_cpu) {
    std::string reason;
    const ProviderEntry cpu = find_provider("cpu");
    chosen.push_back(make_provider(cpu, reason, {.max_isa = max_isa}));
    invocation.report.add_provider(provider_block(cpu, chosen.back().get(), reason));
  }
  if (!precision.reason.empty()) {
    invocation.note(format("--precision {}: products in {} ({})",
                           invocation.options.text("precision"),
                           precision_name(precision.precision), precision.reason));
  }
  if (precision.precision != Precision::float32) {
    for (std::shared_ptr<const Provider>& provider : chosen) {
      if (provider->name() != "cpu") continue;
      provider = cpu_provider_in(precision.precision, max_isa, kept_floats(invocation.options));
    }
  }
  return chosen;
}

PinnedProvider pinned_providers(const OptionValues& options) {
  if (!options.has("node-provider")) return nullptr;
  return [pins = read_pins(options)](const Node& node) {
    const std::vector<std::string> names = origins_of(node);
    for (const Pin& pin : pins) {
      if (fits_any(pin.pattern, names)) return pin.provider;
    }
    return std::string();
  };
}

void check_pinned_providers(const OptionValues& options, const Session& session) {
  for (const Pin& pin : read_pins(options)) {
    std::vector<std::string> names;
    bool is_used = false;
    for (const Placement& placement : session.placement()) {
      std::vector<std::string> of_node = placement.origins;
      if (of_node.empty()) of_node.push_back(placement.node);
      is_used = is_used || fits_any(pin.pattern, of_node);
      names.insert(names.end(), of_node.begin(), of_node.end());
    }
    if (!is_used) {
      throw unknown_name("node in --node-provider", pin.pattern, "nodes", names);
    }
  }
}

Json providers_block() {
  Json list = Json::list();
  for (const ProviderEntry& entry : provider_list()) {
    std::string reason;
    const auto provider = make_provider(entry, reason);
    list.add(provider_block(entry, provider.get(), reason));
  }
  return list;
}

}  // namespace ortool
