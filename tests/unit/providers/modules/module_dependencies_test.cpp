// Libraries that modules need: missing or other ones are named, and loading them again leaks nothing.
// nothing.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <sstream>
#include <string>

#include <catch2/catch.hpp>

#include "providers/cpu/cpu_provider.hpp"
#include "providers/modules/module_provider.hpp"
#include "tests/support/scratch_file.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

namespace fs = std::filesystem;

fs::path library_folder() {
  return (fs::read_symlink("/proc/self/exe").parent_path() / "../lib").lexically_normal();
}

/// The module that is built with ortool.
std::shared_ptr<const Provider> installed_module(const std::string& name,
                                                 ProviderSettings settings = {}) {
  ::setenv("ORTOOL_PROVIDER_PATH", "", 1);
  return make_module_provider(name, "", settings, make_cpu_provider());
}

/// With the library of a kind of tests/providers/other_openvino.cpp.
std::shared_ptr<const Provider> openvino_of_kind(int kind, ProviderSettings settings = {}) {
  const fs::path folder = library_folder() / "test_openvino" / std::to_string(kind);
  settings.options.emplace_back("library", folder.string());
  return installed_module("openvino", settings);
}

bool has_xnnpack() {
  return fs::exists(library_folder() / "ortool/providers/libortool_xnnpack.so");
}

/// The reason why xnnpack cannot be used if the module asks for `wanted` instead of `name`.
std::string reason_with_other_name(const std::string& name, const std::string& wanted) {
  std::ifstream original(library_folder() / "ortool/providers/libortool_xnnpack.so",
                         std::ios::binary);
  std::ostringstream content;
  content << original.rdbuf();
  std::string bytes = content.str();
  REQUIRE(name.size() == wanted.size());
  REQUIRE(bytes.find(name) != std::string::npos);
  for (std::size_t at = bytes.find(name); at != std::string::npos; at = bytes.find(name, at + 1))
    bytes.replace(at, name.size(), wanted);
  const test::ScratchFile changed("libortool_xnnpack.so", bytes);
  ::setenv("ORTOOL_PROVIDER_PATH", fs::path(changed.path()).parent_path().c_str(), 1);
  return make_module_provider("xnnpack", "", {}, make_cpu_provider())->unavailable_because();
}

struct Memory {
  std::int64_t allocated = 0;
  std::int64_t mappings = 0;
  std::int64_t files = 0;

  static Memory now() {
    std::ifstream maps("/proc/self/maps");
    std::string line;
    Memory memory{.allocated = static_cast<std::int64_t>(::mallinfo2().uordblks)};
    while (std::getline(maps, line)) ++memory.mappings;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/fd"))
      ++memory.files;
    return memory;
  }
};

constexpr const char* small_network = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1, 2, 5, 5] x) => (float[1, 3, 3, 3] z) <float[3, 2, 3, 3] w = {
  1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}> {
  y = Conv (x, w) z = Relu (y) })";

/// Loads the provider, computes with it and unloads it, often. `kept_bytes` is what the library may
/// keep of each time; a state or a compiled graph that is not freed has more.
void load_again_and_again(const std::string& name, std::int64_t kept_bytes) {
  const NamedValues inputs = {{"x", random_tensor(Shape{1, 2, 5, 5}, 1)}};
  const auto load_and_run = [&] {
    SessionOptions options;
    options.providers = {installed_module(name), make_cpu_provider()};
    const auto session = make_session(small_network, options);
    bool is_used = false;
    for (const Placement& placement : session->placement())
      is_used = is_used || placement.provider == name;
    if (!is_used) throw Error(ErrorCode::unsupported, "the provider takes no node");
    session->run(inputs, {});
  };
  // What a library keeps until the process ends, it makes in the first rounds.
  for (int i = 0; i < 10; ++i) load_and_run();
  const Memory before = Memory::now();
  constexpr std::int64_t times = 50;
  for (int i = 0; i < times; ++i) load_and_run();
  const Memory after = Memory::now();
  CHECK(after.allocated - before.allocated < kept_bytes * times);
  CHECK(after.mappings - before.mappings < times / 2);
  CHECK(after.files - before.files < times / 2);
}

}  // namespace

TEST_CASE("an OpenVINO that is too old is named with its version and the one that is wanted") {
  const std::string reason = openvino_of_kind(1)->unavailable_because();
  INFO(reason);
  CHECK(reason.find("OpenVINO 2023.3.0 is too old (") != std::string::npos);
  CHECK(reason.find("libopenvino_c.so); wanted is OpenVINO 2024.0 or later") != std::string::npos);
}

TEST_CASE("a function that OpenVINO lacks is named") {
  const std::string reason = openvino_of_kind(2)->unavailable_because();
  INFO(reason);
  CHECK(reason.find("has no function ov_core_create(); wanted is OpenVINO 2024.0 or later") !=
        std::string::npos);
}

TEST_CASE("an OpenVINO that is missing is named with where it was looked for") {
  const test::ScratchFile other("readme.txt", "no library");
  const std::string folder = fs::path(other.path()).parent_path();
  const ProviderSettings settings{.options = {{"library", folder}}};
  const std::string reason = installed_module("openvino", settings)->unavailable_because();
  INFO(reason);
  CHECK(reason.find("libopenvino_c.so is not in " + folder) != std::string::npos);
  CHECK(reason.find("wanted is OpenVINO 2024.0 or later") != std::string::npos);
}

TEST_CASE("of a long message of OpenVINO the line that says what is wrong is shown") {
  const ProviderSettings settings{.options = {{"SPEED", "11"}}};
  CHECK_THROWS_WITH(openvino_of_kind(3, settings),
                    "option --provider-option: OpenVINO refuses SPEED=11 for CPU: NotFound: "
                    "Unsupported property SPEED by CPU plugin");
}

TEST_CASE("an XNNPACK that is missing or of another version is named") {
  if (!has_xnnpack()) return;
  std::string reason = reason_with_other_name("libXNNPACK.so.0", "libXNNPACK.so.9");
  INFO(reason);
  CHECK(reason.find("cannot be loaded: libXNNPACK.so.9: cannot open shared object file") !=
        std::string::npos);
  CHECK(reason.find("; install the library that is named") != std::string::npos);
  reason = reason_with_other_name("xnn_invoke_runtime", "xnn_invoke_runtimf");
  INFO(reason);
  CHECK(reason.find("undefined symbol: xnn_invoke_runtimf") != std::string::npos);
  CHECK(reason.find("; its library is of another version than the module was built with") !=
        std::string::npos);
}

TEST_CASE("loading xnnpack again and again leaks nothing") {
  if (has_xnnpack()) load_again_and_again("xnnpack", 64);
}

TEST_CASE("loading openvino again and again leaks nothing") {
  const std::string reason = installed_module("openvino")->unavailable_because();
  if (reason.empty()) {
    // OpenVINO 2026.4 keeps some 10 kB in its first 60 rounds, with its own program too.
    load_again_and_again("openvino", 512);
  } else {
    WARN("skipped: " << reason);
  }
}
