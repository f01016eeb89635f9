// Value files: one reader per extension, and what each supports.
#include "libcore/dataset/values/value_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "libcore/base/file/file.hpp"
#include "libcore/base/file/standard_input.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/memory/memory_cap.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/dataset/values/json_value.hpp"
#include "libcore/onnx/value_file.hpp"
#include "libcore/runtime/input_spec.hpp"

namespace ortool {
namespace {

/// NumPy has no bfloat16 and no floats below 16 bits: files store their bits as unsigned integers
/// of the same size, and so do older ones of ONNX's own tests.
bool holds_bits_of(DataType found, const ValueType& type) {
  if (!type.is_tensor() || !is_floating_point(type.element)) return false;
  return (type.element == DataType::bfloat16 && found == DataType::uint16) ||
         (element_bits(type.element) == 8 && found == DataType::uint8);
}

/// An array of an archive; one that does not match the input `fed` (empty: none) is rejected before
/// decompression.
Tensor read_array(const NpzFile& archive, const std::string& key, const ValueType& type,
                  std::string_view fed, MemoryCap* cap) {
  if (!fed.empty()) {
    const NpzFile::ArrayInfo info = archive.info(key);
    const DataType element = holds_bits_of(info.type, type) ? type.element : info.type;
    if (!takes_tensor(type, element, info.shape)) {
      throw input_mismatch(fed, element, info.shape, type);
    }
  }
  return archive.read(key, cap);
}

RunValue read_archive(const OpenValueFile& file, const ValueType& type, std::string_view name,
                      const ValueFileOptions& options) {
  const NpzFile archive(file.path);
  MemoryCap* const cap = options.cap;
  const std::string_view fed = options.feeds_input ? name : std::string_view();
  if (auto value = read_from_archive(archive, std::string(name), type, fed, cap)) return *value;
  if (type.kind == ValueType::Kind::sequence) {
    std::vector<RunValue> elements;
    for (const std::string& key : archive.names()) elements.emplace_back(archive.read(key, cap));
    return RunValue::sequence(std::move(elements));
  }
  if (archive.names().size() == 1)
    return read_array(archive, archive.names().front(), type, fed, cap);
  throw Error(
      ErrorCode::invalid,
      format("contains {} arrays, none of them named {}", archive.names().size(), quote(name)),
      format("it contains: {}", list_names(archive.names())))
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

RunValue read_bits_as_floats(RunValue value, const ValueType& type) {
  if (!value.is_tensor() || !holds_bits_of(value.tensor().type(), type)) return value;
  const Tensor& bits = value.tensor();
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
  constexpr std::array<std::string_view, 7> known = {".npy", ".npz", ".pb", ".json",
                                                     ".raw", ".txt", ".wav"};
  return std::find(known.begin(), known.end(), extension) != known.end();
}

OpenValueFile open_value_file(const std::string& path, MemoryCap& cap) {
  if (path == "-") {
    StandardInput input = read_standard_input(&cap);
    return {path, std::string(extension_for_bytes(input.bytes)), input.bytes,
            std::move(input.owner)};
  }
  const MappedFile file = MappedFile::open(path);
  return {path, extension_of(path), file.bytes(), file.owner()};
}

ValueFileOptions file_options_for(const ValueType& type, MemoryCap& cap) {
  ValueFileOptions options;
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
                                          const ValueType& type, std::string_view fed,
                                          MemoryCap* cap) {
  if (type.kind == ValueType::Kind::optional && type.inner != nullptr) {
    return read_from_archive(archive, key, *type.inner, fed, cap);
  }
  if (type.kind != ValueType::Kind::sequence) {
    if (!archive.contains(key)) return std::nullopt;
    return read_bits_as_floats(read_array(archive, key, type, fed, cap), type);
  }
  const ValueType inner = type.inner != nullptr ? *type.inner : ValueType();
  std::vector<RunValue> elements;
  while (auto element =
             read_from_archive(archive, format("{}[{}]", key, elements.size()), inner, {}, cap)) {
    elements.push_back(std::move(*element));
  }
  if (elements.empty()) return std::nullopt;
  return RunValue::sequence(std::move(elements));
}

RunValue read_value_file(const OpenValueFile& file, const ValueType& type, std::string_view name,
                         const ValueFileOptions& options) {
  if (file.extension == ".npz") {
    if (file.path != "-") return read_archive(file, type, name, options);
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
                      ? "give .npz (one array per element), .pb (SequenceProto) or .json"
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
