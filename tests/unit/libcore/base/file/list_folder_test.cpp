// Directory listing: names, an early end, and folders that cannot be read.
#include "libcore/base/file/list_folder.hpp"

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/scratch_file.hpp"

using namespace ortool;

TEST_CASE("A listing names each entry of a folder once") {
  const test::ScratchFile folder("listing");
  for (const char* name : {"a", "b", ".hidden"})
    std::filesystem::create_directories(std::filesystem::path(folder.path()) / name);
  std::multiset<std::string> names;
  CHECK(list_folder(folder.path(), [&](const std::string& name) {
          names.insert(name);
          return true;
        }) == 0);
  CHECK(names == std::multiset<std::string>{".hidden", "a", "b"});
  int visits = 0;
  CHECK(list_folder(folder.path(), [&](const std::string&) { return ++visits < 2; }) == 0);
  CHECK(visits == 2);
  std::filesystem::remove_all(folder.path());
}

TEST_CASE("A listing tells why a folder cannot be read") {
  const auto none = [](const std::string&) { return true; };
  CHECK(list_folder("/nowhere/at/all", none) == ENOENT);
  CHECK(list_folder("/dev/null", none) == ENOTDIR);
}
