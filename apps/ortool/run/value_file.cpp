// One reader for each extension, and what each can hold.
#include "apps/ortool/run/value_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "apps/ortool/run/json_value.hpp"
#include "libcore/base/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory_cap.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/onnx/value_file.hpp"

namespace ortool {
namespace {

RunValue read_archive(const OpenValueFile& file, const ValueType& type, std::string_view name,
                      MemoryCap* cap) {
  const NpzFile archive(file.path);
  if (auto value = read_from_archive(archive, std::string(name), type, cap)) return *value;
  if (type.kind == ValueType::Kind::sequence) {
    std::vector<RunValue> elements;
    for (const std::string& key : archive.names()) elements.emplace_back(archive.read(key, cap));
    return RunValue::sequence(std::move(elements));
  }
  if (archive.names().size() == 1) return archive.read(archive.names().front(), cap);
  throw Error(
      ErrorCode::invalid,
      format("holds {} arrays, none of them called {}", archive.names().size(), quote(name)),
      format("it holds: {}", list_names(archive.names())))
      .in(file.path)
      .with_id("input.npz");
}

std::string_view text_of(const OpenValueFile& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

std::string folder_of(const OpenValueFile& file) {
  if (file.path == "-") return {};
  const std::string folder = std::filesystem::path(file.path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// numpy has no bfloat16 and nothing narrower than 16 bits among floats: files hold their bits as
/// unsigned numbers of the same size, and so do the older ones of ONNX's own tests.
RunValue read_bits_as_floats(RunValue value, const ValueType& type) {
  if (!type.is_tensor() || !value.is_tensor() || !is_floating_point(type.element)) return value;
  const Tensor& bits = value.tensor();
  const bool fits = (type.element == DataType::bfloat16 && bits.type() == DataType::uint16) ||
                    (element_bits(type.element) == 8 && bits.type() == DataType::uint8);
  if (!fits) return value;
  return Tensor::view(type.element, bits.shape(),
                      {bits.bytes(), static_cast<std::size_t>(bits.size_bytes())},
                      std::make_shared<const Tensor>(bits));
}

}  // namespace

std::string extension_of(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& letter : extension) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return extension;
}

bool is_tensor_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 6> known = {".npy",  ".npz", ".pb",
                                                     ".json", ".raw", ".txt"};
  return std::find(known.begin(), known.end(), extension) != known.end();
}

bool is_picture_extension(std::string_view extension) {
  constexpr std::array<std::string_view, 5> known = {".png", ".jpg", ".jpeg", ".ppm", ".pgm"};
  return std::find(known.begin(), known.end(), extension) != known.end();
}

OpenValueFile open_value_file(const std::string& path) {
  if (path == "-") {
    auto text = std::make_shared<std::string>(read_standard_input(machine_memory_bytes() / 2));
    const std::span<const std::byte> bytes = std::as_bytes(std::span(text->data(), text->size()));
    return {path, std::string(extension_for_bytes(bytes)), bytes, std::move(text)};
  }
  const MappedFile file = MappedFile::open(path);
  return {path, extension_of(path), file.bytes(), file.owner()};
}

TensorFileOptions file_options_for(const ValueType& type, MemoryCap& cap) {
  TensorFileOptions options;
  options.cap = &cap;
  if (type.kind == ValueType::Kind::optional && type.inner != nullptr) {
    return file_options_for(*type.inner, cap);
  }
  if (!type.is_tensor()) return options;
  if (type.element != DataType::undefined) options.type = type.element;
  if (!type.shape) return options;
  for (const Dimension& dimension : *type.shape) {
    options.dimensions.push_back(dimension.is_known() ? dimension.number() : -1);
  }
  return options;
}

std::optional<RunValue> read_from_archive(const NpzFile& archive, const std::string& key,
                                          const ValueType& type, MemoryCap* cap) {
  if (type.kind == ValueType::Kind::optional && type.inner != nullptr) {
    return read_from_archive(archive, key, *type.inner, cap);
  }
  if (type.kind != ValueType::Kind::sequence) {
    if (!archive.contains(key)) return std::nullopt;
    return read_bits_as_floats(archive.read(key, cap), type);
  }
  const ValueType inner = type.inner != nullptr ? *type.inner : ValueType();
  std::vector<RunValue> elements;
  while (auto element =
             read_from_archive(archive, format("{}[{}]", key, elements.size()), inner, cap)) {
    elements.push_back(std::move(*element));
  }
  if (elements.empty()) return std::nullopt;
  return RunValue::sequence(std::move(elements));
}

RunValue read_value_file(const OpenValueFile& file, const ValueType& type, std::string_view name,
                         const TensorFileOptions& options) {
  if (file.extension == ".npz") {
    if (file.path != "-") return read_archive(file, type, name, options.cap);
    throw Error(ErrorCode::invalid, "standard input: an .npz archive cannot be read from a stream",
                "give it as a file, or stream an .npy")
        .with_id("input.stream");
  }
  try {
    if (file.extension == ".pb") {
      return read_bits_as_floats(read_value({file.bytes, file.owner, folder_of(file)}, type), type);
    }
    if (file.extension == ".json") {
      return parse_json_value(text_of(file), type, options.type, options.cap);
    }
    const bool is_optional = type.kind == ValueType::Kind::optional && type.inner != nullptr;
    const ValueType& content = is_optional ? *type.inner : type;
    const bool takes_tensor = content.is_tensor() || content.kind == ValueType::Kind::unknown;
    if (!takes_tensor && is_tensor_extension(file.extension)) {
      throw Error(ErrorCode::invalid,
                  format("a {} file holds one tensor, but {} is a {}", file.extension, quote(name),
                         content.to_string()),
                  content.kind == ValueType::Kind::sequence
                      ? "give .npz (an array an element), .pb (SequenceProto) or .json"
                      : "give .pb or .json")
          .with_id("input.kind");
    }
    return read_bits_as_floats(read_tensor_bytes(file.extension, {file.bytes, file.owner}, options),
                               type);
  } catch (Error& error) {
    throw error.in(file.path == "-" ? "standard input" : file.path);
  }
}

}  // namespace ortool
