// Cache folders: the least recently used caches go first, and what is in use or not ours stays.
#include "libcore/runtime/cache/cache_folder.hpp"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/support/scratch_file.hpp"

namespace ortool {
namespace {

using test::ScratchFile;

/// A folder with files of given sizes and ages in seconds.
class FilledFolder {
 public:
  FilledFolder() { std::filesystem::create_directory(path()); }
  ~FilledFolder() { std::filesystem::remove_all(path()); }

  std::string path() const { return inside_.path(); }
  std::string add(const std::string& name, std::size_t bytes, std::int64_t age_seconds) const {
    const std::string file = path() + "/" + name;
    std::ofstream(file, std::ios::binary) << std::string(bytes, 'x');
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const timespec time{.tv_sec = now - age_seconds, .tv_nsec = 0};
    const std::array<timespec, 2> times = {time, time};
    ::utimensat(AT_FDCWD, file.c_str(), times.data(), 0);
    return file;
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& each : std::filesystem::directory_iterator(path()))
      found.insert(each.path().filename().string());
    return found;
  }

 private:
  ScratchFile inside_{"folder"};
};

using Names = std::set<std::string>;

}  // namespace

TEST_CASE("The least recently used caches are removed until the rest fits") {
  const FilledFolder folder;
  folder.add("a.ortcache", 100, 30);
  folder.add("b.ortcache", 100, 40);
  folder.add("c.ortcache", 100, 20);
  const std::string kept = folder.add("d.ortcache", 100, 10);
  trim_cache_folder(folder.path(), 400, kept);
  CHECK(folder.names().size() == 4);
  trim_cache_folder(folder.path(), 399, kept);
  CHECK(folder.names() == Names{"a.ortcache", "c.ortcache", "d.ortcache"});
  trim_cache_folder(folder.path(), 100, kept);
  CHECK(folder.names() == Names{"d.ortcache"});
}

TEST_CASE("A cache that is read counts as used") {
  const FilledFolder folder;
  const std::string old = folder.add("a.ortcache", 100, 40);
  folder.add("b.ortcache", 100, 30);
  const std::string kept = folder.add("c.ortcache", 100, 10);
  mark_as_used(old);
  trim_cache_folder(folder.path(), 200, kept);
  CHECK(folder.names() == Names{"a.ortcache", "c.ortcache"});
}

TEST_CASE("The cache that was just written stays, even above the limit") {
  const FilledFolder folder;
  folder.add("a.ortcache", 100, 1);
  const std::string kept = folder.add("b.ortcache", 1000, 50);
  trim_cache_folder(folder.path(), 10, kept);
  CHECK(folder.names() == Names{"b.ortcache"});
}

TEST_CASE("Files of others stay, and what killed writers left goes after an hour") {
  const FilledFolder folder;
  folder.add("model.onnx", 1000, 9000);
  folder.add("00.sha256", 100, 9000);
  folder.add(".a.ortcache.17-0.tmp", 1000, 9000);
  folder.add(".b.ortcache.18-0.tmp", 1000, 60);
  const std::string kept = folder.add("c.ortcache", 10, 0);
  trim_cache_folder(folder.path(), 0, kept);
  CHECK(folder.names() == Names{"model.onnx", "00.sha256", ".b.ortcache.18-0.tmp", "c.ortcache"});
}

TEST_CASE("Several threads may trim one folder") {
  const FilledFolder folder;
  for (int i = 0; i < 40; ++i) folder.add(std::to_string(i) + ".ortcache", 100, 100 - i);
  const std::string kept = folder.path() + "/39.ortcache";
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { trim_cache_folder(folder.path(), 1000, kept); });
  for (std::thread& thread : threads) thread.join();
  CHECK(folder.names().size() == 10);
  CHECK(folder.names().contains("39.ortcache"));
}

TEST_CASE("A folder that is missing is no error") {
  CHECK_NOTHROW(trim_cache_folder("/nonexistent/folder", 0, "/nonexistent/folder/a.ortcache"));
}

}  // namespace ortool
