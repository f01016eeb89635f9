// First bytes of file formats that are mistaken for ONNX.
#include "libcore/onnx/read/detect_format.hpp"

#include <algorithm>
#include <array>

#include "libcore/onnx/read/model_formats.hpp"

namespace ortool::onnx {
namespace {

struct Row {
  std::size_t offset;
  std::string_view magic;
  OtherFormat format;
};

constexpr std::string_view give_model = "name the model";
constexpr std::string_view give_image = "name the model, and give the image with --input";

constexpr std::array<Row, 26> rows = {{
    {0,
     "version https://git-lfs",
     {"a Git LFS pointer, not the file itself", "fetch the file with 'git lfs pull'"}},
    {0, "<!DOCTYPE", {"a web page", "download the file itself, not the page that shows it"}},
    {0, "<!doctype", {"a web page", "download the file itself, not the page that shows it"}},
    {0, "<html", {"a web page", "download the file itself, not the page that shows it"}},
    {0, "<HTML", {"a web page", "download the file itself, not the page that shows it"}},
    {0, "\x1f\x8b", {"a gzip archive", "unpack it first"}},
    {0,
     "\xfd"
     "7zXZ",
     {"an xz archive", "unpack it first"}},
    {0, "7z\xbc\xaf\x27\x1c", {"a 7z archive", "unpack it first"}},
    {257, "ustar", {"a tar archive", "unpack it first"}},
    {4, "TFL3", tensorflow_lite_format},
    {4, "ORTM", {"a model in ONNX Runtime's own format", "use the .onnx file it was made from"}},
    {0, "\x89HDF", keras_format},
    {0, "\x93NUMPY", {"a NumPy array", "name the model, and give the array with --input"}},
    {0, "\x89PNG", {"a PNG image", give_image}},
    {0, "\xff\xd8\xff", {"a JPEG image", give_image}},
    {8, "WEBP", {"a WebP image", give_image}},
    {0, std::string_view("II\x2a\0", 4), {"a TIFF image", give_image}},
    {0, std::string_view("MM\0\x2a", 4), {"a TIFF image", give_image}},
    {0,
     "\x7f"
     "ELF",
     {"an executable", give_model}},
    {0, "GGUF", gguf_format},
    {0, "ftrt", tensorrt_format},
    {0, "ptrt", tensorrt_format},
    {0, "\x80\x02\x8a\x0al\xfc\x9c\x46", pytorch_format},
    {0, "\x80\x02}", {"a Python pickle", pytorch_format.hint}},
    {0, "%PDF", {"a PDF document", give_model}},
    {0, "GIF8", {"a GIF image", give_image}},
}};

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

OtherFormat detect_format(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Row& row : rows) {
    if (text.size() >= row.offset && text.substr(row.offset).starts_with(row.magic)) {
      return row.format;
    }
  }
  if (text.starts_with("PK\x03\x04")) return detect_archive(bytes);
  if (is_safetensors(bytes)) return safetensors_format;
  const std::string_view start = text.substr(0, 4096);
  if (start.starts_with("<?xml") || start.starts_with("<net ")) {
    if (contains(start, "<net ")) return openvino_format;
    return {"an XML document", "download the file itself; this may be a server's error"};
  }
  return {};
}

bool looks_like_text(std::span<const std::byte> bytes) {
  const auto head = bytes.first(std::min<std::size_t>(bytes.size(), 512));
  return !head.empty() && std::all_of(head.begin(), head.end(), [](std::byte each) {
    const auto letter = static_cast<unsigned char>(each);
    return (letter >= 0x20 && letter != 0x7f) || letter == '\n' || letter == '\r' || letter == '\t';
  });
}

}  // namespace ortool::onnx
