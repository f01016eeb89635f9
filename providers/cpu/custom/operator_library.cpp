// Libraries of custom operators: dlopen, and the list that each exports.
#include "providers/cpu/custom/operator_library.hpp"

#include <dlfcn.h>
#include <filesystem>
#include <mutex>
#include <set>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "providers/cpu/custom/operator_list.hpp"

namespace ortool::cpu {
namespace {

constexpr const char* entry_point = "ortool_get_operators";

void* open_library(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw operator_refusal("there is no such file", "check the path");
  const std::string absolute = std::filesystem::absolute(path, ignored).string();
  void* library = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* reason = ::dlerror();
  throw operator_refusal(
      format("cannot be loaded: {}", reason != nullptr ? reason : "unknown reason"),
      "build it as a shared library for this machine, with all that it needs");
}

void check_list(const ortool_operators& operators, std::string_view where) {
  if (operators.count == 0 || operators.operators == nullptr)
    throw operator_refusal(format("{} no operators", where), "list them there");
  if (operators.version == ORTOOL_OPERATORS_VERSION) return;
  throw operator_refusal(
      format("was built for version {} of the interface of custom operators, this "
             "ortool has {}",
             operators.version, ORTOOL_OPERATORS_VERSION),
      "build it with the header custom_ops.h of this ortool");
}

const ortool_operators& operators_of(void* library) {
  void* symbol = ::dlsym(library, entry_point);
  if (symbol == nullptr) {
    throw operator_refusal(
        format("does not export {}()", entry_point),
        "include <ortool/custom_ops.h> and define it, in C++ with that header's extern C");
  }
  using EntryPoint = const ortool_operators* (*)();
  const ortool_operators* operators = nullptr;
  try {
    operators = reinterpret_cast<EntryPoint>(symbol)();
  } catch (...) {
    throw operator_refusal(format("{}() threw an exception", entry_point),
                           "exceptions must not leave it");
  }
  if (operators == nullptr)
    throw operator_refusal(format("{}() returned no operators", entry_point), "list them there");
  check_list(*operators, format("{}() returned", entry_point));
  return *operators;
}

}  // namespace

void load_operator_library(const std::string& path) {
  static std::mutex mutex;
  static auto* const loaded = new std::set<void*>;
  const std::lock_guard lock(mutex);
  try {
    void* library = open_library(path);
    if (loaded->contains(library)) {
      ::dlclose(library);
      return;
    }
    try {
      register_operator_list(operators_of(library),
                             {path, std::filesystem::path(path).filename().string()});
    } catch (...) {
      ::dlclose(library);
      throw;
    }
    loaded->insert(library);
  } catch (Error& error) {
    throw error.in(path);
  }
}

void add_operators(const ortool_operators& operators, const std::string& origin) {
  try {
    check_list(operators, "there are");
    register_operator_list(operators, {origin, "program", true});
  } catch (Error& error) {
    throw error.in(origin);
  }
}

}  // namespace ortool::cpu
