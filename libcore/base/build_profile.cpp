// Profile of this build, as CMake defines it.
#include "libcore/base/build_profile.hpp"

namespace ortool {

bool is_minimal_build() {
#ifdef ORTOOL_MINIMAL
  return true;
#else
  return false;
#endif
}

}  // namespace ortool
