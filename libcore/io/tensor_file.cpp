// Selects the tensor reader by file extension.
#include "libcore/io/tensor_file.hpp"

#include <algorithm>
#include <string_view>

#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/base/setting_name.hpp"
#include "libcore/io/image_orientation.hpp"
#include "libcore/io/npy.hpp"
#include "libcore/io/npz.hpp"
#include "libcore/io/wav.hpp"

namespace ortool {
namespace {

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  if (dot == std::string::npos || (slash != std::string::npos && dot < slash)) return {};
  std::string extension = path.substr(dot);
  std::transform(extension.begin(), extension.end(), extension.begin(), [](char each) {
    return each >= 'A' && each <= 'Z' ? static_cast<char>(each - 'A' + 'a') : each;
  });
  return extension;
}

Tensor load_only_array(const std::string& path, MemoryCap* cap) {
  const NpzFile archive(path);
  if (archive.names().size() == 1) return archive.read(archive.names().front(), cap);
  throw Error(
      ErrorCode::invalid,
      format("the archive contains {} arrays where one is expected", archive.names().size()),
      format("give all of them with {}, or one as an .npy file", setting_name("inputs")));
}

Tensor load_raw(const TensorFileBytes& file, const TensorFileOptions& options) {
  if (!options.type || std::any_of(options.dimensions.begin(), options.dimensions.end(),
                                   [](std::int64_t size) { return size < 0; })) {
    throw Error(ErrorCode::invalid, "a .raw file does not declare its type and shape",
                format("give both, as in {} float32 {} NAME=1x3x224x224", setting_name("dtype"),
                       setting_name("shape")));
  }
  if (*options.type == DataType::string)
    throw Error(ErrorCode::invalid, "strings have no raw form", "give them as .txt or .json");
  return Tensor::view(*options.type, Shape(options.dimensions), file.bytes, file.owner);
}

Tensor load_image(const TensorFileBytes& file, const TensorFileOptions& options) {
  const Image image = decode_upright_image(file.bytes, options.cap);
  return image_to_tensor(image, options.image, options.type.value_or(DataType::float32),
                         options.dimensions, options.cap);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The extension of an image with these first bytes, or empty. A TensorProto may start with "BM",
/// and a text with "P1".
std::string_view image_extension_for(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  switch (image_format_of(bytes)) {
    case ImageFormat::png:
      return ".png";
    case ImageFormat::jpeg:
      return ".jpg";
    case ImageFormat::jpeg_2000:
      return ".jp2";
    case ImageFormat::webp:
      return ".webp";
    case ImageFormat::tiff:
      return ".tif";
    case ImageFormat::gif:
      return ".gif";
    case ImageFormat::bmp:
      // The size of its second header, in four bytes.
      return text.size() > 17 && text[14] >= 12 &&
                     text.substr(15, 3) == std::string_view("\0\0\0", 3)
                 ? ".bmp"
                 : "";
    case ImageFormat::pnm:
      return text[1] == '5' || text[1] == '6' ? ".ppm" : "";
    case ImageFormat::unknown:
      break;
  }
  return {};
}

}  // namespace

Tensor read_tensor_bytes(std::string_view extension, const TensorFileBytes& file,
                         const TensorFileOptions& options) {
  if (extension == ".npy") return read_npy(file.bytes, file.owner, options.cap);
  if (extension == ".json") {
    return parse_json_tensor(text_of(file.bytes), options.type, options.cap);
  }
  if (extension == ".txt") return parse_text_tensor(text_of(file.bytes), options.dimensions);
  if (extension == ".raw") return load_raw(file, options);
  if (extension == ".wav") {
    return wav_to_tensor(open_wav(file.bytes), options.type.value_or(DataType::float32),
                         options.dimensions, options.cap);
  }
  if (is_image_extension(extension)) return load_image(file, options);
  throw Error(ErrorCode::invalid,
              format("no tensor can be read from a file that ends in {}", quote(extension)),
              "give .npy, .npz, .pb, .json, .raw, .txt, .wav or an image (.png, .jpg, .webp, .tif, "
              ".gif, .bmp, .ppm, .pgm, .pbm)");
}

Tensor load_tensor_file(const std::string& path, const TensorFileOptions& options) {
  const std::string extension = extension_of(path);
  if (extension == ".npz") return load_only_array(path, options.cap);
  const MappedFile file = MappedFile::open(path);
  try {
    return read_tensor_bytes(extension, {file.bytes(), file.owner()}, options);
  } catch (Error& error) {
    error.in(path);
    throw;
  }
}

std::string_view extension_for_bytes(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  if (text.starts_with("\x93NUMPY")) return ".npy";
  if (text.starts_with("PK\x03\x04")) return ".npz";
  if (text.starts_with("RIFF") && text.substr(0, 12).ends_with("WAVE")) return ".wav";
  const std::string_view image = image_extension_for(bytes);
  if (!image.empty()) return image;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json =
      first != std::string_view::npos &&
      std::string_view("[{\"-0123456789").find(text[first]) != std::string_view::npos;
  // A TensorProto starts with a field tag, of which 0x22 and 0x32 look like text.
  const bool is_text =
      text.substr(0, 64).find_first_of(std::string_view("\0\1\2", 3)) == std::string_view::npos;
  return is_json && is_text ? ".json" : ".pb";
}

Tensor parse_text_tensor(std::string_view text, const std::vector<std::int64_t>& dimensions) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  const auto count = static_cast<std::int64_t>(lines.size());
  std::vector<std::int64_t> known = dimensions;
  if (known.empty()) known = {count};
  // A single unknown dimension is computed from the others.
  std::int64_t rest = count;
  std::int64_t open = 0;
  for (const std::int64_t size : known) {
    if (size > 0) rest /= size;
    open += size < 0;
  }
  std::string wanted;
  for (std::int64_t& size : known) {
    wanted += (wanted.empty() ? "" : "x") + (size < 0 ? "?" : std::to_string(size));
    if (size < 0) size = open == 1 ? rest : 1;
  }
  Shape shape(std::move(known));
  if (shape.element_count() != count) {
    throw Error(ErrorCode::invalid,
                format("{} {} of text cannot have the shape {}", count,
                       count == 1 ? "line" : "lines", wanted),
                "give one line per string; numbers are read from .json, .npy, .pb and .raw");
  }
  return Tensor::of_strings(std::move(shape), std::move(lines));
}

}  // namespace ortool
