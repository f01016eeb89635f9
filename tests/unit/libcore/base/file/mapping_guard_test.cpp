// Mapped files that are truncated: threads that fault at once, writes, and results that are kept.
#include "libcore/base/file/mapping_guard.hpp"

#include <atomic>
#include <filesystem>
#include <thread>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>
#include <sys/wait.h>

#include "libcore/base/error.hpp"
#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "tests/support/scratch_file.hpp"

using namespace ortool;
using ortool::test::ScratchFile;

namespace {

constexpr std::size_t page = 4096;

std::string pages(std::size_t count) {
  return std::string(count * page, 'x');
}

/// Runs in a process of its own: `threads` threads read pages that the file has lost.
[[noreturn]] void fault_in_threads(const std::string& path, std::size_t threads) {
  end_cleanly_when_mapping_is_lost();
  const MappedFile file = MappedFile::open(path);
  if (::truncate(path.c_str(), 0) != 0) ::_exit(99);
  std::atomic<std::size_t> ready{0};
  std::vector<std::thread> readers;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    readers.emplace_back([&, thread] {
      ++ready;
      while (ready.load() < threads) continue;
      const volatile std::byte* bytes = file.bytes().data() + thread * page;
      static_cast<void>(*bytes);
    });
  }
  for (std::thread& reader : readers) reader.join();
  ::_exit(98);
}

struct Ending {
  int status = 0;
  std::string text;  ///< on standard error
};

Ending ending_of_faults(const std::string& path, std::size_t threads) {
  int pipe[2] = {};
  REQUIRE(::pipe(pipe) == 0);
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    ::dup2(pipe[1], STDERR_FILENO);
    fault_in_threads(path, threads);
  }
  ::close(pipe[1]);
  Ending ending;
  char buffer[512];
  for (ssize_t count = 0; (count = ::read(pipe[0], buffer, sizeof buffer)) > 0;)
    ending.text.append(buffer, static_cast<std::size_t>(count));
  ::close(pipe[0]);
  ::waitpid(process, &ending.status, 0);
  return ending;
}

}  // namespace

TEST_CASE("Threads that all lose a mapping at once end the process with one error line") {
  const ScratchFile file("lost");
  const std::string& path = file.path();
  for (int round = 0; round < 60; ++round) {
    const std::size_t threads = 1 + static_cast<std::size_t>(round % 8);
    file.write(pages(threads));
    const Ending ending = ending_of_faults(path, threads);
    INFO(threads << " threads, round " << round);
    REQUIRE(WIFEXITED(ending.status));
    REQUIRE(WEXITSTATUS(ending.status) == 2);
    REQUIRE(ending.text == "error: " + path +
                               ": the file was truncated or its disk failed while it was being "
                               "read\n");
  }
}

TEST_CASE("Writing from a file that was cut short names that file, and leaves none behind") {
  const ScratchFile input("input", pages(3));
  const ScratchFile output("output");
  const std::string& path = input.path();
  {
    const MappedFile file = MappedFile::open(path);
    REQUIRE(::truncate(path.c_str(), page) == 0);
    AtomicFile written(output.path());
    try {
      written.write(file.bytes());
      FAIL("no error was thrown");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::invalid);
      CHECK(error.what() ==
            path + ": the file was truncated or its disk failed while it was being read");
    }
  }
  CHECK_FALSE(std::filesystem::exists(output.path()));
}

TEST_CASE("A result is not kept when a mapped file has lost a part of its last page") {
  const ScratchFile input("input", pages(2));
  const ScratchFile output("output");
  const std::string& path = input.path();
  {
    const MappedFile file = MappedFile::open(path);
    REQUIRE(::truncate(path.c_str(), 2 * page - 100) == 0);
    AtomicFile written(output.path());
    written.write(file.bytes());
    CHECK_THROWS_WITH(written.commit(), Catch::StartsWith(path + ": the file was truncated"));
  }
  CHECK_FALSE(std::filesystem::exists(output.path()));
  write_file(output.path(), "without the mapping it is");
  CHECK(std::filesystem::exists(output.path()));
}

TEST_CASE("A file that is replaced or grows while it is mapped is no error") {
  const ScratchFile input("input", pages(2));
  const std::string& path = input.path();
  const MappedFile file = MappedFile::open(path);
  REQUIRE(::truncate(path.c_str(), 5 * page) == 0);
  CHECK_NOTHROW(check_mappings());
  write_file(path, "short");
  CHECK_NOTHROW(check_mappings());
}
