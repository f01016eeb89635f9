// --threads, --execution, --optimize and --precision.
#pragma once

#include <memory>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/runtime/session.hpp"

namespace ortool {

OptionGroup execution_options();

/// The threads to compute with: as given, else all this process may use.
int thread_count(const OptionValues& options);

/// Throws ErrorCode::unsupported for values that are planned.
void check_execution_options(const OptionValues& options);

/// What the options and the invocation say of a session on `providers`; `pool` outlives it.
SessionOptions session_options(const Invocation& invocation,
                               std::vector<std::shared_ptr<const Provider>> providers,
                               ThreadPool& pool);

}  // namespace ortool
