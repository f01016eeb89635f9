// Native modules: the cuda module computes by the list of providers, and wrong ones give one
// reason.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/base/version.hpp"
#include "libcore/tensor/compare.hpp"
#include "providers/modules/native_module_provider.hpp"
#include "providers/provider_list.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

namespace fs = std::filesystem;

/// A folder of the build, such as "emulated_cuda", whose modules are found.
fs::path use_modules_of(const std::string& name) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path folder = (program / "../lib" / name).lexically_normal();
  ::setenv("ORTOOL_PROVIDER_PATH", folder.c_str(), 1);
  return folder;
}

std::shared_ptr<const Provider> listed_provider(const std::string& name,
                                                const ProviderSettings& settings = {}) {
  for (const ProviderEntry& entry : provider_list()) {
    if (entry.name == name) return entry.make(settings);
  }
  throw Error(ErrorCode::invalid, "the provider is not in the list");
}

std::string reason_of_wrong_module(int fault) {
  use_modules_of("test_providers");
  return make_native_provider("native" + std::to_string(fault), "", {})->unavailable_because();
}

/// The reason where `content` is the file of the module.
std::string reason_with_file(const std::string& content) {
  const test::ScratchFile file("libortool_cuda.so", content);
  ::setenv("ORTOOL_PROVIDER_PATH", fs::path(file.path()).parent_path().c_str(), 1);
  return listed_provider("cuda")->unavailable_because();
}

std::string read_emulated_module() {
  std::ostringstream content;
  content << std::ifstream(use_modules_of("emulated_cuda") / "libortool_cuda.so", std::ios::binary)
                 .rdbuf();
  return content.str();
}

std::int64_t count_mappings(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  std::int64_t count = 0;
  while (std::getline(maps, line)) count += line.find(path) != std::string::npos ? 1 : 0;
  return count;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* shifted_tanh = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x) => (float[2, 3] z) <float[2, 3] c = {1, 2, 3, 4, 5, 6}> {
  a = Tanh (x) z = Add (a, c) })";

}  // namespace

TEST_CASE("the module cuda computes a model with the device that it brings along") {
  use_modules_of("emulated_cuda");
  SessionOptions options;
  options.providers = {listed_provider("cuda"), listed_provider("cpu")};
  CHECK(options.providers.front()->version() == "an emulated device");
  const auto session = make_session(shifted_tanh, std::move(options));
  for (const Placement& placement : session->placement()) CHECK(placement.provider == "cuda");
  const NamedValues inputs = {{"x", random_tensor(Shape{2, 3}, 1)}};
  const Tensor found = session->run(inputs, {})[0].tensor();
  const Tensor expected = make_session(shifted_tanh)->run(inputs, {})[0].tensor();
  CHECK(compare(found, expected, {.rtol = 1e-5, .atol = 1e-6}).passed);
}

TEST_CASE("settings of the module cuda come from the list, and wrong ones are errors") {
  use_modules_of("emulated_cuda");
  CHECK_THROWS_WITH(listed_provider("cuda", {.options = {{"precision", "int8"}}}),
                    "option --provider-option: cuda.precision is 'int8' (expected float32, tf32, "
                    "float16 or bfloat16)");
  const ProviderSettings settings{.options = {{"device", "0"}, {"memory-limit", "64"}}};
  SessionOptions options;
  options.providers = {listed_provider("cuda", settings), listed_provider("cpu")};
  try {
    make_session(shifted_tanh, std::move(options))->run({{"x", random_tensor(Shape{2, 3}, 1)}}, {});
    FAIL("64 bytes were enough");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::memory_limit);
  }
}

TEST_CASE("a native module stays loaded, and sessions with it again and again leak nothing") {
  const std::string path = use_modules_of("emulated_cuda") / "libortool_cuda.so";
  const auto load_and_run = [] {
    SessionOptions options;
    options.providers = {listed_provider("cuda"), listed_provider("cpu")};
    const auto session = make_session(shifted_tanh, std::move(options));
    // Launched, captured and replayed.
    for (int i = 0; i < 3; ++i) session->run({{"x", random_tensor(Shape{2, 3}, 1)}}, {});
  };
  for (int i = 0; i < 20; ++i) load_and_run();
  const std::int64_t mappings = count_mappings(path);
  CHECK(mappings > 0);
  const std::size_t before = ::mallinfo2().uordblks;
  constexpr int times = 1000;
  for (int i = 0; i < times; ++i) load_and_run();
  const std::size_t after = ::mallinfo2().uordblks;
  CHECK(count_mappings(path) == mappings);
  // The device alone has more than that.
  CHECK(after < before + times * 16);
}

TEST_CASE("a native module of another build is refused with both builds") {
  const std::string reason = reason_of_wrong_module(1);
  INFO(reason);
  const std::string own = std::string(version()) + " " + std::string(commit());
  CHECK(contains(reason,
                 "libortool_native1.so: it was built with ortool 9.8.7 0123456789ab, this "
                 "is ortool " +
                     own + "; install both from the same build"));
  CHECK(count_mappings("libortool_native1.so") == 0);
}

TEST_CASE("a native module with a symbol that libortool lacks is refused") {
  const std::string reason = reason_of_wrong_module(3);
  INFO(reason);
  CHECK(contains(reason, "libortool_native3.so: the module cannot be loaded: "));
  CHECK(contains(reason,
                 "undefined symbol: _ZN6ortool27a_function_of_another_buildEv; it is of "
                 "another build than libortool.so"));
}

TEST_CASE("a library without the function of native modules is refused") {
  const std::string reason = reason_of_wrong_module(2);
  INFO(reason);
  CHECK(
      contains(reason, "libortool_native2.so: the library does not export ortool_native_module()"));
  CHECK(count_mappings("libortool_native2.so") == 0);
}

TEST_CASE("what a native module misses on this machine is its own reason") {
  const std::string reason = reason_of_wrong_module(4);
  CHECK(reason == "the device is asleep; wake it");
  CHECK(reason_of_wrong_module(4) == reason);
}

TEST_CASE("a native module that is not there is named with where it was looked for") {
  const fs::path folder = use_modules_of("test_providers");
  const std::string reason =
      make_native_provider("absent", "this build has none", {})->unavailable_because();
  INFO(reason);
  CHECK(contains(reason, "its module libortool_absent.so is not in " + folder.string() + ", "));
  CHECK(contains(reason, "; this build has none"));
}

TEST_CASE("a file of the module cuda that is damaged or needs a missing library is refused") {
  std::string reason = reason_with_file("no library");
  INFO(reason);
  CHECK(contains(reason, "libortool_cuda.so: the module cannot be loaded: "));
  CHECK(contains(reason, "file too short"));
  std::string content = read_emulated_module();
  const std::string name = "libortool.so.0";
  const std::size_t at = content.find(name);
  REQUIRE(at != std::string::npos);
  content[at + name.size() - 1] = '9';
  reason = reason_with_file(content);
  INFO(reason);
  CHECK(contains(reason,
                 "the module cannot be loaded: libortool.so.9: cannot open shared object "
                 "file"));
  CHECK(contains(reason, "; install the library that is named"));
}

TEST_CASE("the module cuda of this build loads, and says what it misses here") {
  ::setenv("ORTOOL_PROVIDER_PATH", "", 1);
  const std::string reason = listed_provider("cuda")->unavailable_because();
  INFO(reason);
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  if (!fs::exists(program / "../lib/ortool/providers/libortool_cuda.so")) {
    CHECK(contains(reason, "; this build does not include cuda ("));
  } else {
    CHECK_FALSE(contains(reason, "libortool_cuda.so"));
    if (!is_library_found("libcuda.so.1"))
      CHECK(reason == "libcuda.so.1 was not found (wanted: the NVIDIA driver)");
  }
}

TEST_CASE("without a driver, auto maps nothing of the module cuda") {
  if (is_library_found("libcuda.so.1")) {
    WARN("skipped: there is a driver");
    return;
  }
  const test::ScratchFile copy("libortool_cuda.so", read_emulated_module());
  ::setenv("ORTOOL_PROVIDER_PATH", fs::path(copy.path()).parent_path().c_str(), 1);
  for (const auto& provider : default_providers()) CHECK(provider->name() != "cuda");
  CHECK(count_mappings(copy.path()) == 0);
  CHECK(listed_provider("cuda")->unavailable_because().empty());
  CHECK(count_mappings(copy.path()) > 0);
}
