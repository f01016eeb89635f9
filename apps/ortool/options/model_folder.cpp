// Model folders: model.onnx, the only .onnx file, or an error that says what is there.
#include "apps/ortool/options/model_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "libcore/base/error.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/file/list_folder.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/strings/glob.hpp"
#include "libcore/onnx/read/model_formats.hpp"

namespace ortool {
namespace {

namespace fs = std::filesystem;

/// What a folder holds instead, by the name of a file in it.
struct FolderFormat {
  std::string_view pattern;
  onnx::OtherFormat format;
};

constexpr std::string_view core_ml_folder = "Data/com.apple.CoreML";

constexpr FolderFormat folder_formats[] = {
    {"saved_model.pb", onnx::saved_model_format},
    {core_ml_folder, onnx::core_ml_format},
    {"openvino_model.xml", onnx::openvino_format},
    {"*.safetensors",
     {"weights in safetensors files",
      "export the model with 'optimum-cli export onnx --model "
      "FOLDER OUT'"}},
    {"pytorch_model*.bin",
     {"a PyTorch model of the transformers library",
      "export it with 'optimum-cli export onnx --model FOLDER OUT'"}},
    {"*.gguf", onnx::gguf_format},
    {"*.pdmodel", onnx::paddle_format},
    {"*.tflite", onnx::tensorflow_lite_format},
    {"*.pt", onnx::pytorch_format},
    {"*.pth", onnx::pytorch_format},
    {"*.keras", onnx::keras_archive_format},
    {"*.h5", onnx::keras_format},
    {"*.xml", onnx::openvino_format},
};

/// The names in a folder, in byte order.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const int failure = list_folder(folder, [&](const std::string& name) {
    names.push_back(name);
    return true;
  });
  if (failure != 0) {
    throw Error(ErrorCode::invalid,
                format("{}: cannot be listed: {}", shorten(folder), error_text(failure)))
        .with_id("file.kind");
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Paths below `folder` that end in .onnx, of the folder itself or of the folders in it.
std::vector<std::string> models_in(const std::string& folder, const std::vector<std::string>& names,
                                   bool is_deeper) {
  std::vector<std::string> models;
  for (const std::string& name : names) {
    const std::string path = (fs::path(folder) / name).string();
    if (is_folder(path)) {
      if (!is_deeper || name.starts_with('.')) continue;
      for (const std::string& inside : names_in(path)) {
        const std::string file = (fs::path(path) / inside).string();
        if (inside.ends_with(".onnx") && !is_folder(file)) models.push_back(file);
      }
    } else if (!is_deeper && name.ends_with(".onnx")) {
      models.push_back(path);
    }
  }
  return models;
}

[[noreturn]] void refuse_folder(const std::string& folder, std::string_view reason,
                                std::string hint) {
  throw Error(ErrorCode::invalid, format("{}: {}", shorten(folder), reason), std::move(hint))
      .with_id("file.kind");
}

/// Throws if the folder holds a model of another framework.
void refuse_other_format(const std::string& folder, const std::vector<std::string>& names) {
  const bool is_core_ml = is_folder((fs::path(folder) / core_ml_folder).string());
  for (const FolderFormat& each : folder_formats) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return matches_glob(name, each.pattern);
    });
    const bool is_found = found != names.end() || (is_core_ml && each.pattern == core_ml_folder);
    if (!is_found) continue;
    const std::string file = found != names.end() ? (fs::path(folder) / *found).string() : "";
    refuse_folder(folder, format("holds no .onnx file but {}", each.format.name),
                  onnx::fill_hint(each.format.hint, file, folder));
  }
}

}  // namespace

std::string find_model_in_folder(const std::string& folder) {
  const std::string standard = (fs::path(folder) / "model.onnx").string();
  std::error_code ignored;
  if (fs::exists(standard, ignored)) return standard;
  const std::vector<std::string> names = names_in(folder);
  const std::vector<std::string> models = models_in(folder, names, false);
  if (models.size() == 1) return models.front();
  if (!models.empty()) {
    refuse_folder(
        folder, format("holds {} models and no model.onnx: {}", models.size(), list_names(models)),
        "name one of them");
  }
  const std::vector<std::string> deeper = models_in(folder, names, true);
  if (!deeper.empty()) {
    refuse_folder(folder, format("holds no .onnx file, but its folders do: {}", list_names(deeper)),
                  deeper.size() == 1 ? format("name it: {}", deeper.front()) : "name one of them");
  }
  refuse_other_format(folder, names);
  refuse_folder(folder, names.empty() ? "the folder is empty" : "the folder holds no .onnx file",
                "name an .onnx file, or a folder with one");
}

}  // namespace ortool
