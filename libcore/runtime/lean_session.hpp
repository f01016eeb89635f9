// A session made so that what making it needs for a while does not stay in memory.
#pragma once

#include <memory>

#include "libcore/runtime/session.hpp"

namespace ortool {

/// Session(model, options) with blocks above 1 MiB taken from the system one by one meanwhile:
/// freed, they leave memory at once, where a heap would keep the gaps. Throws what the session
/// throws.
std::unique_ptr<Session> make_lean_session(std::unique_ptr<Model> model, SessionOptions options);

}  // namespace ortool
