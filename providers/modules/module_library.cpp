// Provider modules: the search path, dlopen, and the checks of what a library exports.
#include "providers/modules/module_library.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

#include "libcore/base/error.hpp"
#include "libcore/base/file/list_folder.hpp"
#include "libcore/base/format.hpp"

namespace ortool::modules {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_start = "libortool_";
constexpr std::string_view name_end = ".so";
constexpr const char* module_entry = "ortool_get_provider";

/// The folder of the library that this code is in; empty if that is not known.
std::string own_folder() {
  Dl_info found{};
  static const char here = 0;
  if (::dladdr(&here, &found) == 0 || found.dli_fname == nullptr) return {};
  std::error_code failed;
  const fs::path path = fs::canonical(found.dli_fname, failed);
  return failed ? std::string() : path.parent_path().string();
}

/// The name of the provider in a file's name; empty for other files.
std::string_view module_name(std::string_view file) {
  const bool fits = file.size() > name_start.size() + name_end.size() &&
                    file.starts_with(name_start) && file.ends_with(name_end);
  if (!fits) return {};
  file.remove_prefix(name_start.size());
  file.remove_suffix(name_end.size());
  return file;
}

void check_provider(const ortool_provider* provider, std::string_view name) {
  if (provider == nullptr) throw module_refusal(format("{}() returned no provider", module_entry));
  // The first two members never move.
  if (provider->version != ORTOOL_PROVIDER_VERSION) {
    throw module_refusal(format("the module was built for version {} of the provider interface, "
                                "this ortool has version {}",
                                provider->version, ORTOOL_PROVIDER_VERSION),
                         "build it with the header ortool/provider_module.h of this ortool");
  }
  if (provider->size < sizeof(ortool_provider)) {
    throw module_refusal(format("the module's struct has {} bytes, where {} are expected",
                                provider->size, sizeof(ortool_provider)),
                         "set its size to sizeof(ortool_provider)");
  }
  if (provider->name == nullptr || provider->name != name) {
    throw module_refusal(format("the module is of provider '{}', and its file is named after '{}'",
                                provider->name != nullptr ? provider->name : "", name),
                         "name the file libortool_NAME.so");
  }
  const bool is_complete = provider->open != nullptr && provider->close != nullptr &&
                           provider->claim != nullptr && provider->compile != nullptr &&
                           provider->release != nullptr && provider->run != nullptr;
  if (!is_complete) throw module_refusal("the module leaves out functions of its struct");
}

const ortool_provider* provider_of(void* library) {
  void* symbol = ::dlsym(library, module_entry);
  if (symbol == nullptr) {
    throw module_refusal(
        format("the module does not export {}()", module_entry),
        "include <ortool/provider_module.h> and define it, in C++ with that header's extern C");
  }
  using EntryPoint = const ortool_provider* (*)();
  try {
    return reinterpret_cast<EntryPoint>(symbol)();
  } catch (...) {
    throw module_refusal(format("{}() threw an exception", module_entry),
                         "exceptions must not leave a module");
  }
}

}  // namespace

Error module_refusal(std::string message, std::string hint) {
  return Error(ErrorCode::provider_unavailable, std::move(message), std::move(hint))
      .with_id("provider.module");
}

void* open_library(const std::string& path, std::string_view on_undefined_symbol) {
  std::error_code ignored;
  const std::string absolute = fs::absolute(path, ignored).string();
  void* library = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* error = ::dlerror();
  const std::string_view reason = error != nullptr ? error : "unknown reason";
  std::string hint;
  if (reason.find("undefined symbol") != std::string_view::npos) {
    hint = on_undefined_symbol;
  } else if (reason.find("No such file") != std::string_view::npos) {
    hint = "install the library that is named";
  }
  throw module_refusal(format("the module cannot be loaded: {}", reason), std::move(hint));
}

std::vector<std::string> module_folders() {
  std::vector<std::string> folders;
  if (const char* given = std::getenv("ORTOOL_PROVIDER_PATH")) {
    std::string_view rest = given;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) folders.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  const std::string own = own_folder();
  if (!own.empty()) {
    folders.push_back(own + "/ortool/providers");
    // The archive has all libraries in lib/ortool.
    if (own.ends_with("/ortool")) folders.push_back(own + "/providers");
  }
  return folders;
}

std::map<std::string, std::string, std::less<>> find_modules() {
  std::map<std::string, std::string, std::less<>> found;
  for (const std::string& folder : module_folders()) {
    list_folder(folder, [&](const std::string& file) {
      const std::string_view name = module_name(file);
      if (!name.empty()) found.try_emplace(std::string(name), folder + "/" + file);
      return true;
    });
  }
  return found;
}

std::string reason_of_missing_file(std::string_view name, std::string_view missing_because) {
  std::string searched;
  for (const std::string& folder : module_folders())
    searched += (searched.empty() ? "" : ", ") + folder;
  return format("its module libortool_{}.so is not in {}{}{}", name,
                searched.empty() ? "no folder" : searched, missing_because.empty() ? "" : "; ",
                missing_because);
}

ModuleLibrary::ModuleLibrary(const std::string& path, std::string_view name) {
  try {
    library_ =
        open_library(path, "its library is of another version than the module was built with");
    try {
      provider_ = provider_of(library_);
      check_provider(provider_, name);
    } catch (...) {
      ::dlclose(library_);
      throw;
    }
  } catch (Error& error) {
    throw error.in(path);
  }
}

ModuleLibrary::~ModuleLibrary() {
  ::dlclose(library_);
}

}  // namespace ortool::modules
