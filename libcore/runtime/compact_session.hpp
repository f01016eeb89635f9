// Compact session: a session whose temporary memory during construction is returned to the system.
#pragma once

#include <memory>

#include "libcore/runtime/session.hpp"

namespace ortool {

/// Constructs Session(model, options) with blocks above 1 MiB allocated by mmap: they leave memory
/// when freed, whereas a heap would keep the gaps. Throws what the session throws.
std::unique_ptr<Session> make_compact_session(std::unique_ptr<Model> model, SessionOptions options);

}  // namespace ortool
