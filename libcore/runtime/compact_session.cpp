// Compact session: lowers glibc's mmap threshold while a session is constructed.
#include "libcore/runtime/compact_session.hpp"

#include <malloc.h>
#include <utility>

namespace ortool {
namespace {

constexpr int threshold_bytes = 1 << 20;
/// glibc's maximum: memory that runs allocate repeatedly comes from the heap.
constexpr int usual_threshold_bytes = 32 << 20;

class LowThreshold {
 public:
  LowThreshold() { mallopt(M_MMAP_THRESHOLD, threshold_bytes); }
  ~LowThreshold() { mallopt(M_MMAP_THRESHOLD, usual_threshold_bytes); }
  LowThreshold(const LowThreshold&) = delete;
  LowThreshold& operator=(const LowThreshold&) = delete;
};

}  // namespace

std::unique_ptr<Session> make_compact_session(std::unique_ptr<Model> model,
                                              SessionOptions options) {
  const LowThreshold low;
  auto session = std::make_unique<Session>(std::move(model), std::move(options));
  // Of what compiling freed between blocks that stay.
  malloc_trim(0);
  return session;
}

}  // namespace ortool
