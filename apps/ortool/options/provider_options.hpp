// --provider, --provider-option and --strict-provider.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/json/json.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

OptionGroup provider_options();

/// The providers to place on, the preferred first and cpu last. Throws ErrorCode::invalid for names
/// that are none and ErrorCode::provider_unavailable when none of those named can be used; says
/// which were left out. `most_isa` caps the kernels to one of isa_levels(); empty: it does not.
/// With `needs_first` the first one named must be there, as with --strict-provider.
std::vector<std::shared_ptr<const Provider>> choose_providers(const Invocation& invocation,
                                                              std::string_view most_isa = {},
                                                              bool needs_first = false);

/// What --node-provider says, for a session; null without the option. Throws ErrorCode::invalid for
/// what has not the form GLOB=PROVIDER and for unknown providers.
PinnedProvider pinned_providers(const OptionValues& options);

/// Throws ErrorCode::invalid when a --node-provider fits no node of the session.
void check_pinned_providers(const OptionValues& options, const Session& session);

/// [{name, version, available, reason}] of every provider this build knows.
Json providers_block();

}  // namespace ortool
