// Benchmark variant names, stable between runs.
#include "libcore/measure/bench/bench_variant.hpp"

#include <algorithm>
#include <filesystem>

#include "libcore/base/format.hpp"

namespace ortool {
namespace {

/// The file's name; with its folder's if the former is generic.
std::string short_name(const std::string& path) {
  const std::filesystem::path file(path);
  std::error_code ignored;
  const std::string name = file.filename().string();
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  if (is_folder) return std::filesystem::absolute(file, ignored).filename().string();
  if (name != "model.onnx" || !file.has_parent_path()) return name;
  return (file.parent_path().filename() / name).string();
}

std::vector<std::string> labels_of(const std::vector<std::string>& paths) {
  std::vector<std::string> labels;
  for (const std::string& path : paths) labels.push_back(short_name(path));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (std::count(labels.begin(), labels.end(), labels[i]) > 1) return paths;
  }
  return labels;
}

}  // namespace

std::string BenchVariant::setting() const {
  std::string text = format("{} threads={}", provider, threads);
  for (const auto& [dimension, number] : dims) text += format(" {}={}", dimension, number);
  return text;
}

std::vector<BenchVariant> list_variants(const BenchSettings& settings) {
  std::vector<std::string> paths = settings.models;
  std::vector<std::string> labels = labels_of(paths);
  for (const std::string& reference : settings.references) {
    paths.push_back(reference);
    labels.push_back(short_name(reference));
  }
  std::vector<BenchVariant> variants;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const bool is_reference = i >= settings.models.size();
    for (const std::string& provider : settings.providers) {
      for (const int threads : settings.threads) {
        for (const DimensionSizes& dims : settings.dims) {
          BenchVariant variant{{}, paths[i], labels[i], provider, threads, dims, is_reference};
          variant.name = variant.model_label + " " + variant.setting();
          if (is_reference) variant.name += " (reference)";
          const bool is_new =
              std::none_of(variants.begin(), variants.end(),
                           [&](const BenchVariant& other) { return other.name == variant.name; });
          if (is_new) variants.push_back(std::move(variant));
        }
      }
    }
  }
  return variants;
}

}  // namespace ortool
