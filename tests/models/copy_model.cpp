// Loads models and saves them again; comparing the files shows what is lost.
#include <cstdio>
#include <string>
#include <string_view>

#include "libcore/base/error.hpp"
#include "libcore/base/format.hpp"
#include "libcore/onnx/read/load.hpp"
#include "libcore/onnx/write/save.hpp"

namespace {

bool copy(const std::string& from, const std::string& to, const ortool::SaveOptions& options) {
  try {
    ortool::save_model(*ortool::load_model(from), to, options);
    return true;
  } catch (const ortool::Error& error) {
    std::printf("failed\t%s\t%s\n", from.c_str(),
                ortool::escape_control_characters(error.what()).c_str());
    return false;
  }
}

}  // namespace

/// copy_model [--external always|never|automatic] [--list FILE | FROM TO...]; each line of a list
/// is "FROM<tab>TO". Exits 1 if a model cannot be copied; a line on stdout says which.
int main(int count, char** arguments) {
  ortool::SaveOptions options;
  bool is_good = true;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = arguments[i];
    const std::string value = arguments[i + 1];
    if (name == "--external") {
      options.external_data = value == "always"  ? ortool::ExternalData::always
                              : value == "never" ? ortool::ExternalData::never
                                                 : ortool::ExternalData::automatic;
    } else if (name == "--list") {
      std::FILE* const list = std::fopen(value.c_str(), "r");
      if (list == nullptr) return 2;
      char from[4096];
      char to[4096];
      while (std::fscanf(list, "%4095[^\t]\t%4095[^\n]\n", from, to) == 2) {
        is_good = copy(from, to, options) && is_good;
      }
      std::fclose(list);
    } else {
      is_good = copy(std::string(name), value, options) && is_good;
    }
  }
  return is_good ? 0 : 1;
}
