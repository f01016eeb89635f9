// Execution options: --threads, --execution, --optimize and those of precision_options().
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "apps/ortool/command.hpp"
#include "libcore/api/compute_options.hpp"

namespace ortool {

OptionGroup execution_options();
OptionSpec threads_option();
OptionSpec cache_dir_option();
OptionSpec cache_limit_option();

/// Which command line shows all passes, as the end of a hint.
inline constexpr std::string_view list_passes_hint =
    "`ortool optimize --list-passes` lists all passes";

/// The number of threads: as given, otherwise all that this process may use.
int thread_count(const OptionValues& options);

/// With -v: how many threads are used if --threads does not say it, and why.
void tell_threads(const Invocation& invocation);

/// Throws ErrorCode::unsupported for values that are planned.
void check_execution_options(const OptionValues& options);

/// What functions of libcore/api compute with: the options' threads, the invocation's limits,
/// warnings and progress. The invocation outlives it.
ComputeOptions compute_options(const Invocation& invocation,
                               std::vector<std::shared_ptr<const Provider>> providers = {},
                               ThreadPool* pool = nullptr);

/// The same without threads and providers, for what runs sessions that are there.
ComputeOptions message_options(const Invocation& invocation);

/// What the options and the invocation say of a session on `providers`; `pool` outlives it.
SessionOptions session_options(const Invocation& invocation,
                               std::vector<std::shared_ptr<const Provider>> providers,
                               ThreadPool& pool);

/// Lets the session use the folder of --cache-dir, if that is given.
void use_cache(const OptionValues& options, SessionOptions& session);
/// What became of the session's cache, null without one. Tells of a rebuilt and of an unwritten
/// cache, and of packed weights that are not used; to be called after the first run.
Json cache_block(const Invocation& invocation, const Session& session);
/// What became of the packed weights in the model's file, null if there are none.
Json packed_block(const Session& session);

}  // namespace ortool
