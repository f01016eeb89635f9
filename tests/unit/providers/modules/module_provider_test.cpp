// Provider modules: right ones compute, wrong ones give one clear reason, and all are unloaded.
#include "providers/modules/module_provider.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <string>

#include <catch2/catch.hpp>

#include "libcore/graph/graph.hpp"
#include "libcore/provider/device/device_report.hpp"
#include "libcore/tensor/compare.hpp"
#include "providers/cpu/cpu_provider.hpp"
#include "providers/provider_list.hpp"
#include "tests/support/session_support.hpp"

using namespace ortool;

namespace {

/// Modules are looked for where the tests' ones are.
void use_test_modules() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string folder = (program / "../lib/test_providers").lexically_normal().string();
  ::setenv("ORTOOL_PROVIDER_PATH", folder.c_str(), 1);
}

std::shared_ptr<const Provider> module_provider(const std::string& name,
                                                const ProviderSettings& settings = {}) {
  use_test_modules();
  return make_module_provider(name, "", settings, make_cpu_provider());
}

SessionOptions module_options(const std::string& name, ThreadPool* pool = nullptr) {
  SessionOptions options;
  options.providers = {module_provider(name), make_cpu_provider()};
  options.pool = pool;
  return options;
}

constexpr const char* sums = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x, float[2, 3] y) => (float[2, 3] z, float[2, 3] s) <float[2, 3] c = {1, 2, 3, 4, 5, 6}> {
  a = Tanh (x) e = Exp (a) s = Add (a, c) t = Add (e, s) z = Tanh (t) })";

constexpr const char* one_sum = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x) => (float[2, 3] z) { z = Add (x, x) })";

NamedValues inputs_of_sums() {
  return {{"x", random_tensor(Shape{2, 3}, 1)}, {"y", random_tensor(Shape{2, 3}, 2)}};
}

template <typename Function>
std::string text_of_error(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

bool is_mapped(const std::string& text) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    if (line.find(text) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a module computes its parts of a model like the cpu provider") {
  ThreadPool pool(2);
  const auto session = make_session(sums, module_options("skeleton", &pool));
  const auto expected = make_session(sums)->run(inputs_of_sums(), {});
  const auto found = session->run(inputs_of_sums(), {.threads = 2});
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(compare(found[i].tensor(), expected[i].tensor(), {.rtol = 1e-6, .atol = 1e-6}).passed);

  std::map<std::string, std::string> providers;
  for (const Placement& placement : session->placement()) {
    for (const std::string& origin : placement.origins)
      providers.emplace(origin.substr(0, origin.find('_')), placement.provider);
    if (placement.provider == "cpu") {
      CHECK(placement.op_type == "Exp");
      CHECK(placement.reasons ==
            std::vector<std::string>{"skeleton: the skeleton computes Add and Tanh"});
    }
  }
  CHECK(providers["Tanh"] == "skeleton");
  CHECK(providers["Add"] == "skeleton");
}

TEST_CASE("nodes of different shapes in one part are computed by the skeleton") {
  constexpr const char* text = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x, float[40, 50] v) => (float[2, 3] z, float[40, 50] w) {
  a = Tanh (x) z = Add (a, a) w = Tanh (v) })";
  const NamedValues inputs = {{"x", random_tensor(Shape{2, 3}, 6)},
                              {"v", random_tensor(Shape{40, 50}, 7)}};
  const auto session = make_session(text, module_options("skeleton"));
  CHECK(session->placement().size() == 1);
  const auto found = session->run(inputs, {});
  const auto expected = make_session(text)->run(inputs, {});
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(compare(found[i].tensor(), expected[i].tensor(), {.rtol = 1e-6, .atol = 1e-6}).passed);
}

TEST_CASE("the skeleton computes any batch, and leaves sums that broadcast to cpu") {
  constexpr const char* text = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[n, 3] x, float[m, 3] y) => (float[k, 3] z) { a = Tanh (x) z = Add (a, y) })";
  const auto session = make_session(text, module_options("skeleton"));
  const auto plain = make_session(text);
  for (const std::int64_t rows : {1, 5, 2}) {
    for (const std::int64_t more : {rows, std::int64_t{1}}) {
      const NamedValues inputs = {{"x", random_tensor(Shape{rows, 3}, 8)},
                                  {"y", random_tensor(Shape{more, 3}, 9)}};
      CHECK(compare(session->run(inputs, {})[0].tensor(), plain->run(inputs, {})[0].tensor(),
                    {.rtol = 1e-6, .atol = 1e-6})
                .passed);
    }
  }
}

TEST_CASE("without optimization each node that a module takes is a part of its own") {
  SessionOptions options = module_options("skeleton");
  options.optimize = OptimizeLevel::none;
  const auto session = make_session(sums, options);
  CHECK(session->placement().size() == 5);
  const auto found = session->run(inputs_of_sums(), {});
  const auto expected = make_session(sums)->run(inputs_of_sums(), {});
  CHECK(compare(found[0].tensor(), expected[0].tensor(), {.rtol = 1e-6, .atol = 1e-6}).passed);
}

TEST_CASE("bodies have parts of their own, which read captured values and constants") {
  constexpr const char* text = R"(<ir_version: 8, opset_import: ["" : 17]>
g (bool c, float[2, 3] x) => (float[2, 3] z) <float[2, 3] k = {1, 2, 3, 4, 5, 6}> {
  z = If (c) <then_branch = t () => (float[2, 3] a) { b = Tanh (x) a = Add (b, k) },
              else_branch = e () => (float[2, 3] d) { d = Add (x, k) }> })";
  const auto session = make_session(text, module_options("skeleton"));
  const auto plain = make_session(text);
  for (const bool condition : {true, false}) {
    const NamedValues inputs = {{"c", Tensor::scalar(condition)},
                                {"x", random_tensor(Shape{2, 3}, 3)}};
    CHECK(compare(session->run(inputs, {})[0].tensor(), plain->run(inputs, {})[0].tensor(),
                  {.rtol = 1e-6, .atol = 1e-6})
              .passed);
  }
}

TEST_CASE("what a module cannot compile is computed by the cpu provider") {
  std::string text = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[2, 3] x) => (float[2, 3] y70) { y0 = Tanh (x) )";
  for (int i = 0; i < 70; ++i)
    text += "y" + std::to_string(i + 1) + " = Tanh (y" + std::to_string(i) + ") ";
  text += "}";
  const NamedValues inputs = {{"x", random_tensor(Shape{2, 3}, 4)}};
  const auto found = make_session(text, module_options("skeleton"))->run(inputs, {});
  CHECK(same_bits(found[0].tensor(), make_session(text)->run(inputs, {})[0].tensor()));
}

TEST_CASE("a strict session names the first node that a module refuses") {
  SessionOptions options = module_options("skeleton");
  options.strict_provider = true;
  const std::string text = text_of_error([&] { make_session(sums, options); });
  CHECK(text.find("1 of 3 nodes cannot run on 'skeleton': skeleton: the skeleton computes Add and "
                  "Tanh") != std::string::npos);
}

TEST_CASE("modules that cannot be used say why") {
  const auto reason = [](const std::string& name) {
    return module_provider(name)->unavailable_because();
  };
  const auto says = [&](int fault, const std::string& expected) {
    const std::string found = reason("bad" + std::to_string(fault));
    INFO(found);
    CHECK(found.find(expected) != std::string::npos);
    CHECK(found.find('\n') == std::string::npos);
  };
  says(1, "was built for version 7 of the provider interface, this ortool has version 1");
  says(2, "does not export ortool_get_provider()");
  says(3, "leaves out functions");
  says(4, "ortool_get_provider() threw an exception");
  says(16, "the module's struct has 24 bytes");
  says(17, "is of provider 'another', and its file is named after 'bad17'");
  says(18, "returned no provider");
  CHECK(reason("no_such").find("libortool_no_such.so is not in ") != std::string::npos);
  const ProviderSettings settings{.options = {{"fail", "1"}}};
  CHECK(module_provider("skeleton", settings)->unavailable_because() ==
        "libvendor.so 1.2 is too old; wanted is 2.0 or later");
}

TEST_CASE("a module tells what its device took where that is wanted") {
  constexpr const char* negated = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2, 3] x) => (float[2, 3] y) { n = Neg (x) y = Exp (n) })";
  const NamedValues inputs = {{"x", random_tensor(Shape{2, 3}, 1)}};
  const auto figures_of = [&](const ProviderSettings& settings) {
    SessionOptions options;
    options.providers = {module_provider("timed", settings), make_cpu_provider()};
    const auto session = make_session(negated, std::move(options));
    DeviceReport report;
    {
      const DeviceReportScope scope(report);
      CHECK(compare(session->run(inputs, {})[0].tensor(),
                    make_session(negated)->run(inputs, {})[0].tensor(), {.rtol = 1e-6})
                .passed);
    }
    session->run(inputs, {});
    return report.figures;
  };
  const DeviceFigures figures = figures_of({});
  CHECK(figures.kernels == 1);
  CHECK(figures.copy_in_ns == 1000);
  CHECK(figures.compute_ns == 20000);
  CHECK(figures.copy_out_ns == 0);
  CHECK(figures.memory_bytes == 4000000);
  // A struct of another interface is not read.
  CHECK(figures_of({.options = {{"size", "16"}}}).kernels == 0);
}

TEST_CASE("the third set of shapes and later ones share a kernel for unknown shapes") {
  SessionOptions options;
  options.providers = {module_provider("timed"), make_cpu_provider()};
  const auto session = make_session(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[n, 3] x) => (float[n, 3] y) { y = Neg (x) })",
                                    std::move(options));
  const auto kernels_after = [&](std::int64_t rows) {
    DeviceReport report;
    const DeviceReportScope scope(report);
    const Tensor x = random_tensor(Shape{rows, 3}, 1);
    CHECK(session->run({{"x", x}}, {})[0].tensor().shape() == Shape{rows, 3});
    return report.figures.memory_bytes / 4000000;
  };
  CHECK(kernels_after(1) == 1);
  CHECK(kernels_after(2) == 2);
  CHECK(kernels_after(1) == 2);
  CHECK(kernels_after(3) == 3);
  CHECK(kernels_after(4) == 3);
  CHECK(kernels_after(2) == 3);
}

TEST_CASE("failures of a module are errors with its provider or its own text") {
  const auto error_of = [](int fault) {
    return text_of_error([&] {
      const auto session = make_session(one_sum, module_options("bad" + std::to_string(fault)));
      session->run({{"x", random_tensor(Shape{2, 3}, 5)}}, {});
    });
  };
  const auto says = [&](int fault, const std::string& expected) {
    const std::string found = error_of(fault);
    INFO(fault << ": " << found);
    CHECK(found.find(expected) != std::string::npos);
  };
  says(5, "the module of provider 'bad5' threw an exception in open()");
  says(6, "the module of provider 'bad6' failed in open() with 17 and without a message");
  says(7, "the module of provider 'bad7' threw an exception in claim()");
  says(8, "the claim failed");
  says(9, "the module of provider 'bad9' threw an exception in compile()");
  says(10, "the device has 16 GB, 40 GB are needed");
  says(11, "the module of provider 'bad11' threw an exception in run()");
  says(12, "provider 'bad12' gave 'z' no value, where float32[2 x 3] is expected");
  says(13, "provider 'bad13' gave 'z' float32[7], where float32[2 x 3] is expected");
  says(14, "asks for output 5 of type 99 and rank -3");
  says(15, "exceeds the limit of 2^43");
}

TEST_CASE("wrong settings of a module are errors of the option") {
  const ProviderSettings settings{.options = {{"speed", "11"}}};
  CHECK(text_of_error([&] { module_provider("skeleton", settings); }) ==
        "option --provider-option: it has no such option");
}

TEST_CASE("modules in the search path are in the list of providers") {
  use_test_modules();
  bool is_listed = false;
  for (const ProviderEntry& entry : provider_list()) {
    if (entry.name != "skeleton") continue;
    is_listed = true;
    CHECK(entry.make({})->version() == "1.0");
    CHECK_FALSE(entry.is_automatic);
  }
  CHECK(is_listed);
  CHECK(provider_list().back().name == "cpu");
}

TEST_CASE("a module is unloaded with its last session, and loading it again leaks nothing") {
  const auto load_and_run = [] {
    const auto session = make_session(sums, module_options("skeleton"));
    session->run(inputs_of_sums(), {});
    CHECK(is_mapped("libortool_skeleton.so"));
  };
  load_and_run();
  CHECK_FALSE(is_mapped("libortool_skeleton.so"));
  for (int i = 0; i < 20; ++i) load_and_run();
  const std::size_t before = ::mallinfo2().uordblks;
  constexpr int times = 200;
  for (int i = 0; i < times; ++i) load_and_run();
  const std::size_t after = ::mallinfo2().uordblks;
  CHECK_FALSE(is_mapped("libortool_skeleton.so"));
  // Less than a small block for each time; Catch2 keeps something for each assertion.
  CHECK(after < before + std::size_t{16} * times);
}
