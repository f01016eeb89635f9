// Temporary files of a test, removed with it.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace ortool::test {

/// A path in a fresh folder that is removed at the end with all its content.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name) {
    const char* base = std::getenv("TMPDIR");
    folder_ = std::string(base != nullptr ? base : "/tmp") + "/ortool_test_XXXXXX";
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
    path_ = folder_ + "/" + name;
  }
  ScratchFile(const std::string& name, std::string_view content) : ScratchFile(name) {
    write(content);
  }
  ~ScratchFile() {
    unlink(path_.c_str());
    rmdir(folder_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }
  void write(std::string_view content) const {
    std::ofstream(path_, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  std::string read() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::string folder_;
  std::string path_;
};

}  // namespace ortool::test
