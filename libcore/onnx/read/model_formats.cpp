// Model formats of other frameworks, recognized by the structure or the name of their files.
#include "libcore/onnx/read/model_formats.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ortool::onnx {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A little-endian number; 0 past the end.
std::uint64_t number_at(std::span<const std::byte> bytes, std::size_t place, std::size_t size) {
  if (place > bytes.size() || size > bytes.size() - place) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[place + i]);
  return value;
}

/// Where the central directory of a zip archive begins; past the end if that is unknown.
std::size_t archive_directory(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  // The last record is followed by a comment of at most 64 KiB.
  const std::size_t tail = text.size() - std::min<std::size_t>(text.size(), 22 + 0xffff);
  const std::size_t end = text.substr(tail).rfind("PK\x05\x06");
  if (end == std::string_view::npos) return text.size();
  const std::uint64_t place = number_at(bytes, tail + end + 16, 4);
  if (place != 0xffffffff) return place;
  // Above 4 GiB, another record has the place in 64 bits, and a locator before the last record
  // has the place of that.
  constexpr std::size_t locator_bytes = 20;
  if (tail + end < locator_bytes) return text.size();
  const std::size_t locator = tail + end - locator_bytes;
  if (!text.substr(locator).starts_with("PK\x06\x07")) return text.size();
  const std::uint64_t record = number_at(bytes, locator + 8, 8);
  if (record > text.size() || !text.substr(record).starts_with("PK\x06\x06")) return text.size();
  return number_at(bytes, record + 48, 8);
}

/// The names of a zip archive's entries, from its central directory.
std::vector<std::string_view> archive_names(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  constexpr std::size_t max_names = 65536;
  std::vector<std::string_view> names;
  std::size_t place = archive_directory(bytes);
  while (names.size() < max_names && place < text.size() &&
         text.substr(place).starts_with("PK\x01\x02")) {
    const std::size_t name_bytes = number_at(bytes, place + 28, 2);
    const std::size_t rest = number_at(bytes, place + 30, 2) + number_at(bytes, place + 32, 2);
    if (place + 46 > text.size()) break;
    names.push_back(text.substr(place + 46, name_bytes));
    place += 46 + name_bytes + rest;
  }
  return names;
}

/// Whether an entry has that name, in the archive itself or in a folder of it.
bool has_entry(const std::vector<std::string_view>& names, std::string_view wanted) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    if (!name.ends_with(wanted)) return false;
    return name.size() == wanted.size() || name[name.size() - wanted.size() - 1] == '/';
  });
}

bool has_extension(const std::vector<std::string_view>& names, std::string_view extension) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return name.ends_with(extension); });
}

/// A field of a protobuf message: its tag, and the content of one with a length.
struct WireField {
  std::uint64_t tag = 0;
  std::string_view content;
};

bool take_varint(std::string_view& text, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

/// Takes a field of wire type 0 or 2. The content may be cut by the end of the text.
bool take_field(std::string_view& text, WireField& field) {
  std::uint64_t length = 0;
  if (!take_varint(text, field.tag) || !take_varint(text, length)) return false;
  field.content = {};
  if ((field.tag & 7U) == 0) return true;
  if ((field.tag & 7U) != 2) return false;
  field.content = text.substr(0, length);
  text.remove_prefix(field.content.size());
  return true;
}

constexpr std::uint64_t tag_of(std::uint64_t number, std::uint64_t wire_type) {
  return number << 3U | wire_type;
}

/// Whether the text consists of letters, digits and the characters of `others`.
bool consists_of_letters(std::string_view text, std::string_view others) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
  });
}

/// A GraphDef begins with a node: its name and its operator.
bool is_graph_def(std::string_view text) {
  WireField node;
  WireField name;
  WireField operation;
  if (!take_field(text, node) || node.tag != tag_of(1, 2)) return false;
  return take_field(node.content, name) && name.tag == tag_of(1, 2) && !name.content.empty() &&
         take_field(node.content, operation) && operation.tag == tag_of(2, 2) &&
         consists_of_letters(operation.content, "_>");
}

/// A version and then a message, where an ONNX model has the name of its producer.
bool is_versioned_message(std::string_view text, std::uint64_t& version) {
  WireField first;
  std::string_view rest = text;
  std::uint64_t tag = 0;
  if (!take_varint(rest, tag) || tag != tag_of(1, 0) || !take_varint(rest, version)) return false;
  WireField inner;
  if (!take_field(rest, first) || first.tag != tag_of(2, 2)) return false;
  const bool is_text = std::all_of(first.content.begin(), first.content.end(), [](char letter) {
    return static_cast<unsigned char>(letter) >= 0x20;
  });
  return !is_text && take_field(first.content, inner);
}

struct NamedFormat {
  std::string_view extension;
  OtherFormat format;
};

constexpr OtherFormat external_data_format = {"the external data of an ONNX model",
                                              "name the .onnx file that refers to it"};

constexpr std::array<NamedFormat, 23> named_formats = {{
    {".onnx_data", external_data_format},
    {".onnx.data", external_data_format},
    {".pt", pytorch_format},
    {".pth", pytorch_format},
    {".ckpt", {"a checkpoint, which holds weights but no graph", pytorch_format.hint}},
    {".safetensors", safetensors_format},
    {".pb", graph_def_format},
    {".tflite", tensorflow_lite_format},
    {".h5", keras_format},
    {".keras", keras_archive_format},
    {".gguf", gguf_format},
    {".xml", openvino_format},
    {".mlmodel", core_ml_format},
    {".engine", tensorrt_format},
    {".plan", tensorrt_format},
    {".trt", tensorrt_format},
    {".pdmodel", paddle_format},
    {".pdiparams", paddle_format},
    {".caffemodel", caffe_format},
    {".prototxt", caffe_format},
    {".bin", {"raw weights without a graph", "name the model's .onnx file"}},
    {".pkl", {"a Python pickle", pytorch_format.hint}},
    {".bmp", {"a BMP image", "name the model, and give the image with --input"}},
}};

}  // namespace

bool is_safetensors(std::span<const std::byte> bytes) {
  constexpr std::uint64_t max_header_bytes = 100'000'000;
  const std::uint64_t header_bytes = number_at(bytes, 0, 8);
  return header_bytes > 0 && header_bytes <= max_header_bytes && bytes.size() > 9 &&
         text_of(bytes).substr(8, 2).find_first_of("{") == 0 &&
         (bytes[9] == std::byte{'"'} || bytes[9] == std::byte{'}'});
}

OtherFormat detect_archive(std::span<const std::byte> bytes) {
  const std::vector<std::string_view> names = archive_names(bytes);
  if (has_entry(names, "data.pkl"))
    return has_entry(names, "constants.pkl") ? torchscript_format : pytorch_format;
  if (has_entry(names, "archive_format") || has_entry(names, "serialized_exported_program.json"))
    return exported_program_format;
  if (has_entry(names, "model.weights.h5")) return keras_archive_format;
  if (has_entry(names, "saved_model.pb"))
    return {"a zip archive with a TensorFlow SavedModel",
            "unpack it, and convert the folder with 'python -m tf2onnx.convert --saved-model "
            "FOLDER --output model.onnx'"};
  if (has_extension(names, ".mlmodel")) return core_ml_format;
  if (has_extension(names, ".onnx")) return {"a zip archive with an ONNX model", "unpack it first"};
  if (has_extension(names, ".npy"))
    return {"a NumPy archive (.npz)", "name the model, and give the arrays with --inputs"};
  return {"a zip archive", "unpack it, and name the .onnx file"};
}

std::string fill_hint(std::string_view hint, std::string_view file, std::string_view folder) {
  std::string text(hint);
  const auto fill = [&text](std::string_view word, std::string_view path) {
    const std::size_t place = text.find(word);
    const bool is_plain = consists_of_letters(path, "_./-+") && path.front() != '-';
    if (place != std::string::npos && is_plain) text.replace(place, word.size(), path);
  };
  fill("FILE", file);
  fill("FOLDER", folder);
  return text;
}

OtherFormat guess_format(std::span<const std::byte> bytes, std::string_view path) {
  const std::string_view text = text_of(bytes);
  std::string name(path.substr(path.rfind('/') + 1));
  std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  std::uint64_t version = 0;
  if (is_versioned_message(text, version)) {
    const bool is_saved_model = !name.ends_with(".mlmodel") && version == 1;
    return is_saved_model ? saved_model_format : core_ml_format;
  }
  if (name == "saved_model.pb") return saved_model_format;
  if (is_graph_def(text)) return graph_def_format;
  if (text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5)
    return {"a Python pickle", pytorch_format.hint};
  for (const NamedFormat& each : named_formats) {
    if (name.ends_with(each.extension)) return each.format;
  }
  return {};
}

}  // namespace ortool::onnx
