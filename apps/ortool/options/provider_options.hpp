// Provider options: --provider, --provider-option, --node-provider and --strict-provider.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/json/json.hpp"
#include "libcore/runtime/session.hpp"
#include "providers/provider_list.hpp"

namespace ortool {

OptionGroup provider_options();

/// The providers to place on, the preferred first and cpu last. Throws ErrorCode::invalid for
/// unknown names and ErrorCode::provider_unavailable if none of the given ones is available; warns
/// about skipped ones. The cpu provider multiplies in --precision, but for nodes of --keep-float.
/// `max_isa` limits kernels to one of isa_names(); empty: no limit. With `needs_first` the first
/// one given must be available, as with --strict-provider.
std::vector<std::shared_ptr<const Provider>> choose_providers(const Invocation& invocation,
                                                              std::string_view max_isa = {},
                                                              bool needs_first = false);

/// Values of --node-provider, for a session; null without the option. Throws ErrorCode::invalid if
/// they do not have the form GLOB=PROVIDER and for unknown providers.
PinnedProvider pinned_providers(const OptionValues& options);

/// Throws ErrorCode::invalid if a --node-provider matches no node of the session.
void check_pinned_providers(const OptionValues& options, const Session& session);

/// [{name, version, available, reason}] of every provider this build knows.
Json providers_block();

}  // namespace ortool
