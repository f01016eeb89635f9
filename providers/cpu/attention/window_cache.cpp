// Rows of sliding window caches, which drop several positions at once.
#include "providers/cpu/attention/window_cache.hpp"

#include <algorithm>

#include "libcore/base/format.hpp"

namespace ortool::cpu {

std::int64_t resident_rows(std::int64_t tokens, std::int64_t capacity, std::int64_t window) {
  if (tokens <= capacity) return tokens;
  const std::int64_t step = capacity - window + 1;
  return tokens - (tokens - capacity + step - 1) / step * step;
}

WindowCache::WindowCache(const WindowSizes& sizes, WorkspaceLayout& layout) : sizes_(sizes) {
  if (sizes.capacity < sizes.window) {
    throw Error(ErrorCode::invalid,
                format("a cache has {} rows (expected at least the {} of 'local_window_size')",
                       sizes.capacity, sizes.window));
  }
  is_staged_ = sizes.length > 1 && sizes.total > sizes.capacity;
  rows_ = is_staged_ ? sizes.capacity + sizes.length : std::min(sizes.capacity, sizes.total);
  space_ = layout.add(bytes_of(DataType::int64, 5 * sizes.batch));
}

void WindowCache::fill(const RunContext& run, const CachePositions& positions) const {
  for (std::int64_t i = 0; i < sizes_.batch; ++i) {
    const std::int64_t tokens = positions.lengths(run)[i];
    if (tokens < sizes_.length) {
      throw Error(ErrorCode::invalid,
                  format("the lengths of keys less 1 hold {} (expected at least {}: prompts in a "
                         "cache of a window have no padding)",
                         tokens - 1, sizes_.length - 1));
    }
    const std::int64_t past = resident_rows(tokens - sizes_.length, sizes_.capacity, sizes_.window);
    kept(run)[i] = resident_rows(tokens, sizes_.capacity, sizes_.window);
    lengths(run)[i] = is_staged_ ? past + sizes_.length : kept(run)[i];
    firsts(run)[i] = lengths(run)[i] - sizes_.length;
    origins(run)[i] = tokens - lengths(run)[i];
    dropped(run)[i] = past - firsts(run)[i];
  }
}

}  // namespace ortool::cpu
