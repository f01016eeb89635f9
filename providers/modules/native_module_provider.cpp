// Native module provider: loads the module once, and checks that it is of this build.
#include "providers/modules/native_module_provider.hpp"

#include <dlfcn.h>
#include <map>
#include <mutex>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/version.hpp"
#include "libcore/provider/native_module.hpp"
#include "libcore/provider/unavailable_provider.hpp"
#include "providers/modules/module_library.hpp"

namespace ortool {
namespace {

/// Closes the library unless it is kept.
class OpenedLibrary {
 public:
  explicit OpenedLibrary(const std::string& path)
      : handle_(modules::open_library(path, "it is of another build than libortool.so")) {}
  ~OpenedLibrary() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  OpenedLibrary(const OpenedLibrary&) = delete;
  OpenedLibrary& operator=(const OpenedLibrary&) = delete;

  const NativeModule& module() const {
    void* symbol = ::dlsym(handle_, native_module_function);
    if (symbol == nullptr) {
      throw modules::module_refusal(
          format("the library does not export {}()", native_module_function),
          "install the one that comes with this ortool");
    }
    const NativeModule& found = *reinterpret_cast<NativeModuleFunction*>(symbol)();
    const std::string build = format("{} {}", version(), commit());
    if (found.build == build) return found;
    throw modules::module_refusal(
        format("it was built with ortool {}, this is ortool {}", found.build, build),
        "install both from the same build");
  }
  void keep() { handle_ = nullptr; }

 private:
  void* handle_;
};

/// Loaded modules are never closed: a vendor's threads may still run code of theirs, and objects
/// that a session's caller holds may have functions there.
const NativeModule& load_module(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, const NativeModule*, std::less<>> loaded;
  const std::lock_guard lock(mutex);
  const NativeModule*& module = loaded[path];
  if (module == nullptr) {
    try {
      OpenedLibrary library(path);
      module = &library.module();
      library.keep();
    } catch (Error& error) {
      throw error.in(path);
    }
  }
  return *module;
}

}  // namespace

std::shared_ptr<const Provider> make_native_provider(std::string_view name,
                                                     std::string_view missing_because,
                                                     const ProviderSettings& settings) {
  const auto found = modules::find_modules();
  const auto module = found.find(name);
  if (module == found.end()) {
    return std::make_shared<UnavailableProvider>(
        name, modules::reason_of_missing_file(name, missing_because));
  }
  try {
    return load_module(module->second).make(settings);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::provider_unavailable) throw;
    return std::make_shared<UnavailableProvider>(name, error);
  }
}

bool is_library_found(const char* library) {
  // The library itself is not closed, since not all of them bear that.
  return ::dlopen(library, RTLD_LAZY | RTLD_LOCAL) != nullptr;
}

}  // namespace ortool
