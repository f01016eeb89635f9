// Provider modules: shared libraries that are found by name, and loaded when their provider is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.hpp"
#include "providers/modules/ortool/provider_module.h"

namespace ortool::modules {

/// The folders that modules are looked for in, in order: those of ORTOOL_PROVIDER_PATH, separated
/// by colons, and ortool/providers beside libortool.so.
std::vector<std::string> module_folders();

/// The modules in these folders by name: libortool_NAME.so. Earlier folders win.
std::map<std::string, std::string, std::less<>> find_modules();

/// Why the module of a provider is not found, with where it was looked for; `missing_because` says
/// more.
std::string reason_of_missing_file(std::string_view name, std::string_view missing_because);

/// ErrorCode::provider_unavailable of a module, with its id.
Error module_refusal(std::string message, std::string hint = {});

/// Opens a shared library by its path, with all symbols bound. Throws a module_refusal() with the
/// dynamic loader's text, and `on_undefined_symbol` as its hint if it names one.
void* open_library(const std::string& path, std::string_view on_undefined_symbol);

/// A loaded module. It is unloaded with this object.
class ModuleLibrary {
 public:
  /// Loads the library and checks what it exports. Throws ErrorCode::provider_unavailable with the
  /// reason, starting with the path.
  ModuleLibrary(const std::string& path, std::string_view name);
  ~ModuleLibrary();
  ModuleLibrary(const ModuleLibrary&) = delete;
  ModuleLibrary& operator=(const ModuleLibrary&) = delete;

  const ortool_provider& provider() const { return *provider_; }

 private:
  void* library_ = nullptr;
  const ortool_provider* provider_ = nullptr;
};

}  // namespace ortool::modules
