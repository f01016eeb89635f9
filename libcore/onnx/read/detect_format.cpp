// First bytes of file formats that are mistaken for ONNX.
#include "libcore/onnx/read/detect_format.hpp"

#include <algorithm>
#include <array>

namespace ortool::onnx {
namespace {

struct Row {
  std::size_t offset;
  std::string_view magic;
  OtherFormat format;
};

constexpr std::string_view export_hint = "export it to ONNX with the framework it comes from";

constexpr std::array<Row, 21> rows = {{
    {0,
     "version https://git-lfs",
     {"a Git LFS pointer, not the file itself", "fetch the file with 'git lfs pull'"}},
    {0, "<!DOCTYPE", {"a web page", "download the file itself, not the page that shows it"}},
    {0, "<!doctype", {"a web page", "download the file itself, not the page that shows it"}},
    {0, "<html", {"a web page", "download the file itself, not the page that shows it"}},
    {0, "<HTML", {"a web page", "download the file itself, not the page that shows it"}},
    {0, "<?xml", {"an XML document", "download the file itself; this may be a server's error"}},
    {0,
     "PK\x03\x04",
     {"a zip archive (such as a PyTorch .pt file)", "unpack it, or export the model to ONNX"}},
    {0, "\x1f\x8b", {"a gzip archive", "unpack it first"}},
    {0,
     "\xfd"
     "7zXZ",
     {"an xz archive", "unpack it first"}},
    {0, "7z\xbc\xaf\x27\x1c", {"a 7z archive", "unpack it first"}},
    {257, "ustar", {"a tar archive", "unpack it first"}},
    {4, "TFL3", {"a TensorFlow Lite model", export_hint}},
    {4, "ORTM", {"a model in ONNX Runtime's own format", "use the .onnx file it was made from"}},
    {0, "\x89HDF", {"an HDF5 file (such as a Keras model)", export_hint}},
    {0, "\x93NUMPY", {"a NumPy array", "name the model, and give the array with --input"}},
    {0, "\x89PNG", {"a PNG image", "name the model, and give the image with --input"}},
    {0, "\xff\xd8\xff", {"a JPEG image", "name the model, and give the image with --input"}},
    {0,
     "\x7f"
     "ELF",
     {"an executable", "name the model"}},
    {0, "GGUF", {"a GGUF model", export_hint}},
    {0, "\x80\x02}", {"a Python pickle", export_hint}},
    {0, "%PDF", {"a PDF document", "name the model"}},
}};

}  // namespace

OtherFormat detect_format(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const Row& row : rows) {
    if (text.size() >= row.offset && text.substr(row.offset).starts_with(row.magic)) {
      return row.format;
    }
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
