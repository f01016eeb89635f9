// Temporary folder of a test, which does not exist at first and is removed with its files.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/scratch_file.hpp"

namespace ortool::test {

class ScratchFolder {
 public:
  ScratchFolder() : inside_("none") {}
  ~ScratchFolder() { std::filesystem::remove_all(path()); }

  std::string path() const { return inside_.path() + ".d"; }

 private:
  ScratchFile inside_;
};

}  // namespace ortool::test
