// Processor count: read from folders in the form of Linux's /sys.
#include "libcore/base/parallel/processor_count.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "libcore/base/format.hpp"
#include "libcore/base/parallel/thread_pool.hpp"

using namespace ortool;

namespace {

/// A folder in place of /, removed at the end.
class FakeSystem {
 public:
  FakeSystem() {
    const char* base = std::getenv("TMPDIR");
    root_ = std::string(base != nullptr ? base : "/tmp") + "/ortool_test_XXXXXX";
    if (mkdtemp(root_.data()) == nullptr) std::abort();
  }
  ~FakeSystem() { std::filesystem::remove_all(root_); }
  FakeSystem(const FakeSystem&) = delete;
  FakeSystem& operator=(const FakeSystem&) = delete;

  void write(const std::string& path, const std::string& text) const {
    const std::string whole = root() + path;
    std::filesystem::create_directories(std::filesystem::path(whole).parent_path());
    std::ofstream(whole) << text;
  }
  void write_capacity(int processor, const std::string& text) const {
    write(format("/sys/devices/system/cpu/cpu{}/cpu_capacity", processor), text);
  }
  const std::string& root() const { return root_; }

 private:
  std::string root_;
};

}  // namespace

TEST_CASE("Without capacities and a quota, every allowed processor gets a thread") {
  const FakeSystem system;
  const ProcessorCount count = count_processors({0, 2, 3}, system.root());
  CHECK(count.threads == 3);
  CHECK(count.explanation() == "3 processors");
}

TEST_CASE("LITTLE cores get no thread, big and medium ones do") {
  const FakeSystem system;
  for (int i = 0; i < 4; ++i) system.write_capacity(i, "250\n");
  for (int i = 4; i < 7; ++i) system.write_capacity(i, "761\n");
  system.write_capacity(7, "1024\n");
  const ProcessorCount count = count_processors({0, 1, 2, 3, 4, 5, 6, 7}, system.root());
  CHECK(count.threads == 4);
  CHECK(count.explanation().find("4 of them have less than half of the capacity") !=
        std::string::npos);
}

TEST_CASE("A process that is bound to LITTLE cores uses all of them") {
  const FakeSystem system;
  for (int i = 0; i < 4; ++i) system.write_capacity(i, "250\n");
  system.write_capacity(4, "1024\n");
  CHECK(count_processors({0, 1, 2, 3}, system.root()).threads == 4);
}

TEST_CASE("A capacity that cannot be read excludes no processor") {
  const FakeSystem system;
  system.write_capacity(0, "1024\n");
  system.write_capacity(1, "many\n");
  CHECK(count_processors({0, 1}, system.root()).threads == 2);
  CHECK(count_processors({0, 5}, system.root()).threads == 2);
}

TEST_CASE("The quota of the control group limits the threads") {
  const FakeSystem system;
  system.write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  const ProcessorCount count = count_processors({0, 1, 2, 3}, system.root());
  CHECK(count.threads == 2);
  CHECK(count.explanation() == "2 of 4 processors: the quota of its control group is 2");
  system.write("/sys/fs/cgroup/cpu.max", "1000 100000\n");
  CHECK(count_processors({0, 1}, system.root()).threads == 1);
}

TEST_CASE("A quota that is no number is none") {
  const FakeSystem system;
  for (const char* text : {"max 100000\n", "", "x y\n", "100000\n", "100000 0\n", "-1 100000\n"}) {
    system.write("/sys/fs/cgroup/cpu.max", text);
    CHECK(count_processors({0, 1}, system.root()).threads == 2);
  }
}

TEST_CASE("This machine has at least one processor") {
  CHECK(count_processors().threads >= 1);
  CHECK(available_processors() == count_processors().threads);
  CHECK(count_processors({}, "/nonexistent").threads == 1);
}
