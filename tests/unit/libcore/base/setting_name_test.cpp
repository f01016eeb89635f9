// Names of settings, plain and as options of the program.
#include "libcore/base/setting_name.hpp"

#include <catch2/catch.hpp>

#include "libcore/base/error.hpp"
#include "libcore/base/memory/memory_cap.hpp"

namespace ortool {

TEST_CASE("messages name settings plainly, or as the program's options") {
  set_setting_prefix("");
  CHECK(setting_name("max-memory") == "max-memory");
  set_setting_prefix("--");
  CHECK(setting_name("max-memory") == "--max-memory");
  MemoryCap memory(10);
  try {
    memory.take(11, "a tensor");
    FAIL("eleven bytes are more than ten");
  } catch (const Error& error) {
    CHECK(error.hint() == "raise --max-memory, or give smaller inputs");
  }
  set_setting_prefix("");
}

}  // namespace ortool
