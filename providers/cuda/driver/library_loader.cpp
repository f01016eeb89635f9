// LibraryLoader: dlopen and dlsym, when the provider first needs a library.
#include "providers/cuda/driver/library_loader.hpp"

#include <dlfcn.h>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"

namespace ortool::cuda {

LibraryLoader::LibraryLoader(std::initializer_list<const char*> names, std::string_view wanted) {
  for (const std::string_view folder : {"", "/usr/local/cuda/lib64/"}) {
    for (const char* name : names) {
      name_ = std::string(folder) + name;
      handle_ = dlopen(name_.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) return;
    }
  }
  throw Error(ErrorCode::provider_unavailable,
              format("{} was not found (wanted: {})", *names.begin(), wanted));
}

LibraryLoader::~LibraryLoader() {
  // Libraries of CUDA do not survive being closed while their threads run.
}

void* LibraryLoader::look_up(const char* symbol) const {
  return dlsym(handle_, symbol);
}

void* LibraryLoader::find(const char* symbol) const {
  void* address = look_up(symbol);
  if (address != nullptr) return address;
  throw Error(ErrorCode::provider_unavailable,
              format("{} is too old: it has no {}", name_, symbol));
}

}  // namespace ortool::cuda
