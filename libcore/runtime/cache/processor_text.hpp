// Text of the processor on which constants are packed.
#pragma once

#include <string>

namespace ortool {

/// Model and features of the processor, and the limit on its instruction sets.
std::string processor_text();

}  // namespace ortool
