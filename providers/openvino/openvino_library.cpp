// OpenVINO's C library: where it is looked for, its symbols, its version and its messages.
#include "providers/openvino/openvino_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "providers/modules/module_failure.hpp"

namespace ortool::openvino {
namespace {

namespace fs = std::filesystem;
using modules::ModuleFailure;

constexpr std::string_view file_start = "libopenvino_c.so";
constexpr std::size_t max_message = 160;

std::string wanted() {
  return "OpenVINO " + std::to_string(oldest_year) + ".0 or later";
}

[[noreturn]] void fail_missing(const std::string& where) {
  throw ModuleFailure(
      ORTOOL_PROVIDER_UNAVAILABLE,
      std::string(file_start) + " is not in " + where + "; wanted is " + wanted() +
          ": set ORTOOL_OPENVINO_DIR to the folder of its package (of PyPI's wheel: "
          "site-packages/openvino), or --provider-option openvino.library=FILE");
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

/// The library in a folder of a package; empty: none. std::filesystem::directory_iterator would
/// terminate the program when memory runs out.
std::string library_in(const fs::path& folder) {
  for (const char* inner : {"libs", "runtime/lib/intel64", "lib", ""}) {
    const std::string path = (folder / inner).string();
    const std::unique_ptr<DIR, CloseFolder> files(::opendir(path.c_str()));
    std::string newest;
    while (const dirent* entry = files != nullptr ? ::readdir(files.get()) : nullptr) {
      const std::string name = entry->d_name;
      if (name.compare(0, file_start.size(), file_start) == 0 && name > newest) newest = name;
    }
    if (!newest.empty()) return (folder / inner / newest).string();
  }
  return {};
}

/// The library in `given`, a file or a folder.
std::string library_at(const std::string& given) {
  std::error_code ignored;
  const std::string file = fs::is_directory(given, ignored) ? library_in(given) : given;
  if (file.empty() || !fs::exists(file, ignored)) fail_missing(given);
  return file;
}

std::string chosen_path(const std::string& given) {
  if (!given.empty()) return library_at(given);
  const char* named = std::getenv("ORTOOL_OPENVINO_DIR");
  if (named != nullptr && *named != '\0') return library_at(named);
  return *ORTOOL_OPENVINO_DEFAULT_DIR != '\0' ? library_in(ORTOOL_OPENVINO_DEFAULT_DIR) : "";
}

void* open_file(const std::string& path) {
  return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

template <typename Function>
void find_function(Function& function, void* handle, const std::string& path, const char* name,
                   bool is_needed = true) {
  void* symbol = ::dlsym(handle, name);
  if (symbol == nullptr && is_needed) {
    throw ModuleFailure(ORTOOL_PROVIDER_UNAVAILABLE,
                        path + " has no function " + name + "(); wanted is " + wanted());
  }
  function = reinterpret_cast<Function>(symbol);
}

bool starts_with_any(std::string_view line, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return line.starts_with(start); });
}

/// The first line of a message that says what is wrong. Lines before it are places in OpenVINO's
/// source and headings, lines behind it advice for its developers.
std::string essential_line(std::string_view text) {
  std::string_view last;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && std::string_view(" \r\t.").find(line.back()) != std::string_view::npos)
      line.remove_suffix(1);
    if (line.starts_with("-- ")) line.remove_prefix(3);
    if (line.empty()) continue;
    last = line;
    const bool is_heading = line.back() == ':' ||
                            starts_with_any(line, {"Exception from ", "Check '", "While validating",
                                                   "FrontEnd API failed", "Model wasn't fully"});
    if (!is_heading) break;
  }
  std::string result(last.substr(0, max_message));
  if (last.size() > max_message) result += "...";
  std::replace(result.begin(), result.end(), '\t', ' ');
  return result;
}

}  // namespace

Library::Library(const std::string& given) {
  std::string path = chosen_path(given);
  void* handle = nullptr;
  if (!path.empty()) {
    handle = open_file(path);
  } else {
    path = std::string(file_start);
    handle = open_file(path);
    if (handle == nullptr) fail_missing("the system's search path");
  }
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    throw ModuleFailure(ORTOOL_PROVIDER_UNAVAILABLE,
                        path + " cannot be loaded: " + (reason != nullptr ? reason : "unknown") +
                            "; wanted is " + wanted());
  }
  find_version(handle, path);
  find_functions(handle, path);
}

void Library::find_functions(void* handle, const std::string& path) {
  const auto find = [&](auto& function, const char* name, bool is_needed = true) {
    find_function(function, handle, path, name, is_needed);
  };
  Functions& f = functions_;
  find(f.core_create, "ov_core_create");
  find(f.core_free, "ov_core_free");
  find(f.core_set_property, "ov_core_set_property");
  find(f.core_get_property, "ov_core_get_property");
  find(f.core_get_available_devices, "ov_core_get_available_devices");
  find(f.available_devices_free, "ov_available_devices_free");
  find(f.core_read_model_from_memory_buffer, "ov_core_read_model_from_memory_buffer");
  find(f.core_compile_model, "ov_core_compile_model");
  find(f.model_free, "ov_model_free");
  find(f.model_const_input_by_index, "ov_model_const_input_by_index");
  find(f.model_const_output_by_name, "ov_model_const_output_by_name");
  find(f.compiled_model_input_by_name, "ov_compiled_model_input_by_name");
  find(f.compiled_model_output_by_name, "ov_compiled_model_output_by_name");
  find(f.compiled_model_create_infer_request, "ov_compiled_model_create_infer_request");
  find(f.compiled_model_free, "ov_compiled_model_free");
  find(f.port_get_element_type, "ov_port_get_element_type");
  find(f.const_port_get_shape, "ov_const_port_get_shape");
  find(f.output_const_port_free, "ov_output_const_port_free");
  find(f.infer_request_set_tensor_by_const_port, "ov_infer_request_set_tensor_by_const_port");
  find(f.infer_request_get_tensor_by_const_port, "ov_infer_request_get_tensor_by_const_port");
  find(f.infer_request_infer, "ov_infer_request_infer");
  find(f.infer_request_free, "ov_infer_request_free");
  find(f.tensor_create_from_host_ptr, "ov_tensor_create_from_host_ptr");
  find(f.tensor_get_shape, "ov_tensor_get_shape");
  find(f.tensor_data, "ov_tensor_data");
  find(f.tensor_get_byte_size, "ov_tensor_get_byte_size");
  find(f.tensor_free, "ov_tensor_free");
  find(f.shape_free, "ov_shape_free");
  find(f.free, "ov_free");
  find(f.get_last_err_msg, "ov_get_last_err_msg", false);
}

void Library::find_version(void* handle, const std::string& path) {
  // Older versions lack other functions.
  find_function(functions_.get_openvino_version, handle, path, "ov_get_openvino_version");
  find_function(functions_.version_free, handle, path, "ov_version_free");
  find_function(functions_.get_error_info, handle, path, "ov_get_error_info");
  Version found{};
  check(functions_.get_openvino_version(&found), ORTOOL_PROVIDER_UNAVAILABLE,
        "the version of " + path + " is not known");
  const std::string number = found.number != nullptr ? found.number : "";
  functions_.version_free(&found);
  // "2026.4.1-21000-0123abcd"
  version_ = number.substr(0, number.find('-'));
  if (std::atoi(version_.c_str()) >= oldest_year) return;
  throw ModuleFailure(ORTOOL_PROVIDER_UNAVAILABLE,
                      "OpenVINO " + version_ + " is too old (" + path + "); wanted is " + wanted());
}

std::string Library::message(Status status) const {
  std::string text;
  if (functions_.get_last_err_msg != nullptr) {
    if (const char* last = functions_.get_last_err_msg()) {
      text = essential_line(last);
      functions_.free(last);
    }
  }
  if (text.empty()) {
    const char* known = functions_.get_error_info(status);
    text = known != nullptr ? known : "unknown error";
  }
  return text;
}

void Library::check(Status status, int kind, const std::string& what) const {
  if (status == 0) return;
  throw ModuleFailure(static_cast<ortool_provider_failure>(kind), what + ": " + message(status));
}

}  // namespace ortool::openvino
