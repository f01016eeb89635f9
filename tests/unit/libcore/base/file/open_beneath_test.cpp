// Opening files beneath a folder: nothing leads out of it, with and without the system's help.
#include "libcore/base/file/open_beneath.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/stat.h>

using namespace ortool;

namespace {

/// A folder "inside" with files, links and a pipe, beside a "secret" that must not be reached.
class Place {
 public:
  Place() {
    std::string pattern = (std::filesystem::temp_directory_path() / "open_below_XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directories(root_ / "inside" / "deep");
    std::ofstream(root_ / "secret") << "s";
    std::ofstream(root_ / "inside" / "weights") << "w";
    std::ofstream(root_ / "inside" / "deep" / "weights") << "d";
    std::filesystem::create_symlink("weights", root_ / "inside" / "link");
    std::filesystem::create_symlink("../secret", root_ / "inside" / "way_out");
    std::filesystem::create_symlink("..", root_ / "inside" / "up");
    std::filesystem::create_symlink("deep", root_ / "inside" / "deep_link");
    std::filesystem::create_hard_link(root_ / "inside" / "weights", root_ / "inside" / "hard");
    ::mkfifo((root_ / "inside" / "pipe").c_str(), 0600);
    folder_ = Descriptor(::open((root_ / "inside").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  ~Place() { std::filesystem::remove_all(root_); }
  int folder() const { return folder_.number(); }
  std::string root() const { return root_.string(); }

 private:
  std::filesystem::path root_;
  Descriptor folder_;
};

using Open = Descriptor (*)(int, const std::string&);

std::string content(Open open, const Place& place, const std::string& path) {
  const Descriptor file = open(place.folder(), path);
  if (!file.is_open()) return "errno " + std::to_string(errno);
  char letter = '?';
  return ::read(file.number(), &letter, 1) == 1 ? std::string(1, letter) : "nothing";
}

int refusal(Open open, const Place& place, const std::string& path) {
  const Descriptor file = open(place.folder(), path);
  return file.is_open() ? 0 : errno;
}

}  // namespace

TEST_CASE("files below a folder open, and nothing outside of it does") {
  const Place place;
  for (const Open open : {Open(open_beneath), Open(open_beneath_by_steps)}) {
    INFO((open == Open(open_beneath) ? "openat2" : "by steps"));
    CHECK(content(open, place, "weights") == "w");
    CHECK(content(open, place, "deep/weights") == "d");
    CHECK(content(open, place, "./deep//weights") == "d");
    CHECK(content(open, place, "hard") == "w");
    CHECK(refusal(open, place, "link") == ELOOP);
    CHECK(refusal(open, place, "way_out") == ELOOP);
    CHECK(refusal(open, place, "up/secret") == ELOOP);
    CHECK(refusal(open, place, "deep_link/weights") == ELOOP);
    CHECK(refusal(open, place, "../secret") == EXDEV);
    CHECK(refusal(open, place, "deep/../../secret") == EXDEV);
    CHECK(refusal(open, place, place.root() + "/secret") == EXDEV);
    CHECK(refusal(open, place, "nothing") == ENOENT);
    CHECK(refusal(open, place, "weights/x") == ENOTDIR);
    CHECK(refusal(open, place, "weights/") == ENOTDIR);
    CHECK(refusal(open, place, "") == ENOENT);
  }
}

TEST_CASE("a pipe opens without waiting for a writer") {
  const Place place;
  for (const Open open : {Open(open_beneath), Open(open_beneath_by_steps)}) {
    CHECK(open(place.folder(), "pipe").is_open());
  }
}
