// --provider, --provider-option and --strict-provider.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "apps/ortool/command.hpp"
#include "apps/ortool/report/json.hpp"
#include "libcore/runtime/provider.hpp"

namespace ortool {

OptionGroup provider_options();

/// The providers to place on, the preferred first and cpu last. Throws ErrorCode::invalid for names
/// that are none and ErrorCode::provider_unavailable when none of those named can be used; says
/// which were left out. `most_isa` caps the kernels to one of isa_levels(); empty: it does not. With
/// `needs_first` the first one named must be there, as with --strict-provider.
std::vector<std::shared_ptr<const Provider>> choose_providers(const Invocation& invocation,
                                                              std::string_view most_isa = {},
                                                              bool needs_first = false);

/// [{name, version, available, reason}] of every provider this build knows.
Json providers_block();

}  // namespace ortool
