// Output files: the old or the whole new content, and no temporary file left behind.
#include "libcore/base/file/atomic_file.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "libcore/base/error.hpp"
#include "tests/support/scratch_file.hpp"

using ortool::AtomicFile;
using ortool::Error;
using ortool::ErrorCode;
using ortool::test::ScratchFile;

namespace {

std::vector<std::string> names_beside(const std::string& path) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(path).parent_path())) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

Error error_of_writing(const std::string& path) {
  try {
    ortool::write_file(path, "new");
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  throw;
}

}  // namespace

TEST_CASE("A file has its old content until commit, and the new one after it") {
  const ScratchFile target("out.bin", "old");
  {
    AtomicFile file(target.path());
    file.write("ne");
    file.write("w");
    CHECK(target.read() == "old");
    CHECK(names_beside(target.path()).size() == 2);
    file.commit();
  }
  CHECK(target.read() == "new");
  CHECK(names_beside(target.path()) == std::vector<std::string>{"out.bin"});
}

TEST_CASE("A file that is not committed leaves nothing behind") {
  const ScratchFile old("out.bin", "old");
  const ScratchFile fresh("out.bin");
  for (const ScratchFile* target : {&old, &fresh}) {
    AtomicFile file(target->path());
    file.write("new");
  }
  CHECK(old.read() == "old");
  CHECK(names_beside(old.path()).size() == 1);
  CHECK(names_beside(fresh.path()).empty());
}

TEST_CASE("A stop that is requested before the name changes leaves the old file") {
  const ScratchFile target("out.bin", "old");
  ortool::StopToken stop;
  {
    AtomicFile file(target.path());
    file.write("new");
    stop.request(ErrorCode::interrupted);
    CHECK_THROWS_AS(file.commit(&stop), Error);
  }
  CHECK(target.read() == "old");
  CHECK(names_beside(target.path()).size() == 1);
}

TEST_CASE("Mode bits of the old file are kept") {
  const ScratchFile target("out.bin", "old");
  REQUIRE(::chmod(target.path().c_str(), 0640) == 0);
  ortool::write_file(target.path(), "new");
  struct stat status {};
  REQUIRE(::stat(target.path().c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
}

TEST_CASE("What a symbolic link points at is replaced, not the link") {
  const ScratchFile target("out.bin", "old");
  const ScratchFile link("link.bin");
  REQUIRE(::symlink(target.path().c_str(), link.path().c_str()) == 0);
  ortool::write_file(link.path(), "new");
  CHECK(std::filesystem::is_symlink(link.path()));
  CHECK(target.read() == "new");
}

TEST_CASE("A target that cannot be written is refused by name, with code 7") {
  const ScratchFile target("folder");
  REQUIRE(::mkdir(target.path().c_str(), 0755) == 0);
  const Error folder = error_of_writing(target.path());
  CHECK(folder.code() == ErrorCode::write_failed);
  CHECK_THAT(folder.what(), Catch::Contains(target.path()) && Catch::Contains("folder"));
  REQUIRE(::rmdir(target.path().c_str()) == 0);

  const Error missing = error_of_writing(target.path() + "/deeper/out.bin");
  CHECK(missing.code() == ErrorCode::write_failed);
  CHECK_THAT(missing.hint(), Catch::Contains("create the folder"));
  CHECK(error_of_writing("").code() == ErrorCode::write_failed);
}

TEST_CASE("A device that is full is reported, and its name stays") {
  if (::access("/dev/full", W_OK) != 0) {
    WARN("SKIPPED: there is no /dev/full");
    return;
  }
  const Error error = error_of_writing("/dev/full");
  CHECK(error.code() == ErrorCode::write_failed);
  CHECK_THAT(error.what(), Catch::Contains("No space left"));
  CHECK(::access("/dev/full", W_OK) == 0);
}

TEST_CASE("Temporary files of files that are open are removed on request") {
  const ScratchFile first("out.bin", "old");
  const ScratchFile second("out.bin");
  std::optional<AtomicFile> one(first.path());
  std::optional<AtomicFile> two(second.path());
  two->write("new");
  ortool::remove_temporary_files();
  CHECK(names_beside(first.path()) == std::vector<std::string>{"out.bin"});
  CHECK(names_beside(second.path()).empty());
  CHECK_THROWS_AS(two->commit(), Error);
  CHECK(first.read() == "old");
}

TEST_CASE("More files than the table of temporary names holds can be open at once") {
  const ScratchFile target("out.bin");
  std::vector<std::unique_ptr<AtomicFile>> files;
  for (int i = 0; i < 40; ++i) files.push_back(std::make_unique<AtomicFile>(target.path()));
  CHECK(names_beside(target.path()).size() == 40);
  files[39]->write("last");
  files[39]->commit();
  files.clear();
  CHECK(names_beside(target.path()).size() == 1);
  CHECK(target.read() == "last");
}
