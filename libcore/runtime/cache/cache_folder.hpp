// Cache folder: the files that sessions keep in it, the least recently used of which can be
// removed.
#pragma once

#include <cstdint>
#include <string>

namespace ortool {

/// Gives a cache file the present time, by which trim_cache_folder() knows what was used last. Does
/// nothing if that is not allowed.
void mark_as_used(const std::string& path) noexcept;

/// Removes session caches of `folder`, the least recently used first, until those left have at most
/// `limit_bytes`; `kept`, a path, stays. Also removes what writers left that were killed an hour
/// ago. Processes that have mapped a file keep it. Several processes may do so at the same time.
/// What cannot be removed stays.
void trim_cache_folder(const std::string& folder, std::int64_t limit_bytes,
                       const std::string& kept);

}  // namespace ortool
