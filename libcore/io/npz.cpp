// Reads and writes .npz archives with libzip; declared sizes are validated before use.
#include "libcore/io/npz.hpp"

#include <algorithm>
#include <limits>
#include <list>
#include <unordered_map>
#include <zip.h>

#include "libcore/base/file/atomic_file.hpp"
#include "libcore/base/file/file.hpp"
#include "libcore/base/format.hpp"
#include "libcore/base/nearest.hpp"
#include "libcore/io/npy.hpp"

namespace ortool {
namespace npz {

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
using Archive = std::unique_ptr<zip_t, CloseArchive>;
using Entry = std::unique_ptr<zip_file_t, CloseEntry>;

}  // namespace npz

namespace {

using npz::Archive;
using npz::Entry;

/// The maximum expansion of a deflate stream.
constexpr std::uint64_t max_inflation = 1032;
constexpr std::int64_t chunk_bytes = std::int64_t{1} << 20;
/// Amount of an archive read by slices before its mapped pages are released.
constexpr std::int64_t max_mapped_bytes = std::int64_t{16} << 20;

std::string message_of(zip_error_t& error) {
  std::string message = zip_error_strerror(&error);
  zip_error_fini(&error);
  return message;
}

[[noreturn]] void fail_entry(std::string_view name, std::string_view what) {
  throw Error(ErrorCode::invalid, format("entry {}: {}", quote(name), what),
              "the archive is damaged; write it again with numpy.savez");
}

std::string_view key_of(std::string_view entry) {
  return entry.ends_with(".npy") ? entry.substr(0, entry.size() - 4) : entry;
}

void read_exactly(zip_file_t* entry, std::string_view name, std::span<std::byte> out) {
  std::int64_t done = 0;
  const auto wanted = static_cast<std::int64_t>(out.size());
  while (done < wanted) {
    const auto chunk = static_cast<zip_uint64_t>(std::min(wanted - done, chunk_bytes));
    const zip_int64_t got = zip_fread(entry, out.data() + done, chunk);
    if (got < 0) fail_entry(name, zip_error_strerror(zip_file_get_error(entry)));
    if (got == 0) fail_entry(name, format("ends after {} of {} bytes", done, wanted));
    done += got;
  }
}

/// Reading past the last byte makes libzip verify the checksum.
void check_end(zip_file_t* entry, std::string_view name) {
  char extra = 0;
  const zip_int64_t got = zip_fread(entry, &extra, 1);
  if (got < 0) fail_entry(name, zip_error_strerror(zip_file_get_error(entry)));
  if (got > 0) fail_entry(name, "contains more bytes than it declares");
}

}  // namespace

struct NpzFile::State {
  std::string path;
  MappedFile file;
  npz::Archive archive;
  std::vector<std::string> names;
  std::unordered_map<std::string, zip_uint64_t> index_of;

  /// An array whose header has been read.
  struct OpenArray {
    NpyHeader header;
    npz::Entry entry;
  };
  OpenArray open(std::string_view name) const;
};

NpzFile::NpzFile(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->file = MappedFile::open(path);
  const std::span<const std::byte> bytes = state_->file.bytes();
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  zip_t* archive = source != nullptr ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  if (archive == nullptr || bytes.empty()) {
    if (archive != nullptr) zip_discard(archive);
    if (archive == nullptr && source != nullptr) zip_source_free(source);
    const std::string reason = bytes.empty() ? "it is empty" : message_of(error);
    throw Error(ErrorCode::invalid, format("this is not an .npz archive: {}", reason),
                "give a file written with numpy.savez")
        .in(path);
  }
  state_->archive.reset(archive);
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
    if (name == nullptr) continue;
    const std::string key(key_of(name));
    if (!state_->index_of.emplace(key, index).second) {
      throw Error(ErrorCode::invalid, format("the archive contains {} twice", quote(key)),
                  "write it again with one array for each name")
          .in(path);
    }
    state_->names.push_back(key);
  }
}

NpzFile::~NpzFile() = default;

const std::vector<std::string>& NpzFile::names() const {
  return state_->names;
}

bool NpzFile::contains(std::string_view name) const {
  return state_->index_of.contains(std::string(name));
}

NpzFile::State::OpenArray NpzFile::State::open(std::string_view name) const {
  const auto found = index_of.find(std::string(name));
  if (found == index_of.end()) {
    NearestName nearest(name);
    for (const std::string& candidate : names) nearest.offer(candidate);
    throw Error(ErrorCode::invalid, format("there is no array {} in the archive", quote(name)),
                nearest.best().empty() ? "it has " + list_names(names)
                                       : "did you mean " + quote(nearest.best()) + "?");
  }
  zip_stat_t stat;
  if (zip_stat_index(archive.get(), found->second, 0, &stat) != 0 ||
      (stat.valid & ZIP_STAT_SIZE) == 0 || (stat.valid & ZIP_STAT_COMP_SIZE) == 0)
    fail_entry(name, zip_error_strerror(zip_get_error(archive.get())));
  const auto archive_bytes = static_cast<std::uint64_t>(file.size_bytes());
  if (stat.comp_size > archive_bytes ||
      stat.size / max_inflation > stat.comp_size + max_inflation) {
    fail_entry(name, format("declares {} bytes packed as {}, which an archive of {} cannot hold",
                            stat.size, stat.comp_size, archive_bytes));
  }
  OpenArray array;
  array.entry.reset(zip_fopen_index(archive.get(), found->second, 0));
  if (array.entry == nullptr) fail_entry(name, zip_error_strerror(zip_get_error(archive.get())));
  const auto size = static_cast<std::int64_t>(stat.size);
  // The maximum header length is read only if the declared one is that long.
  std::vector<std::byte> prefix(static_cast<std::size_t>(std::min<std::int64_t>(size, 12)));
  read_exactly(array.entry.get(), name, prefix);
  if (prefix.size() == 12) {
    const bool is_short = prefix[6] == std::byte{1};
    std::uint32_t length =
        static_cast<std::uint32_t>(prefix[8]) | static_cast<std::uint32_t>(prefix[9]) << 8;
    if (!is_short) {
      length |= static_cast<std::uint32_t>(prefix[10]) << 16 |
                static_cast<std::uint32_t>(prefix[11]) << 24;
    }
    const std::int64_t header_bytes = std::min<std::int64_t>(
        {size, std::int64_t{length} + (is_short ? 10 : 12), max_npy_header_bytes});
    if (header_bytes > 12) {
      prefix.resize(static_cast<std::size_t>(header_bytes));
      read_exactly(array.entry.get(), name, std::span(prefix).subspan(12));
    }
  }
  array.header = parse_npy_header(prefix, size);
  const bool reads_too_far = static_cast<std::int64_t>(prefix.size()) > array.header.data_offset;
  if (reads_too_far) fail_entry(name, "has a header that is too short for an array");
  return array;
}

NpzFile::ArrayInfo NpzFile::info(std::string_view name) const {
  try {
    const State::OpenArray array = state_->open(name);
    return {array.header.type, array.header.shape};
  } catch (Error& error) {
    throw error.in(state_->path);
  }
}

std::uint32_t NpzFile::checksum(std::string_view name) const {
  const auto found = state_->index_of.find(std::string(name));
  zip_stat_t stat;
  if (found == state_->index_of.end() ||
      zip_stat_index(state_->archive.get(), found->second, 0, &stat) != 0 ||
      (stat.valid & ZIP_STAT_CRC) == 0)
    fail_entry(name, "has no checksum");
  return stat.crc;
}

Tensor NpzFile::read(std::string_view name, MemoryCap* cap) const {
  try {
    const State::OpenArray array = state_->open(name);
    Tensor data(DataType::uint8, Shape{array.header.data_bytes()}, cap);
    read_exactly(array.entry.get(), name,
                 {data.mutable_bytes(), static_cast<std::size_t>(data.size_bytes())});
    check_end(array.entry.get(), name);
    return tensor_from_npy_data(array.header, data, cap);
  } catch (Error& error) {
    throw error.in(state_->path);
  }
}

struct NpzRows::State {
  std::string path;
  std::string name;
  NpyHeader header;
  npz::Entry entry;
  std::span<const std::byte> archive;  ///< the mapped bytes
  std::int64_t done = 0;
  std::int64_t undropped_bytes = 0;  ///< bytes read since pages were released
};

NpzRows NpzFile::open_rows(std::string_view name) const {
  try {
    State::OpenArray array = state_->open(name);
    if (array.header.shape.rank() == 0 ||
        (array.header.is_fortran_order && array.header.shape.rank() > 1)) {
      throw Error(
          ErrorCode::unsupported,
          format("array {} cannot be read row by row: {}", quote(name),
                 array.header.shape.rank() == 0 ? "it is a scalar" : "it is in Fortran order"),
          "save it with numpy.ascontiguousarray");
    }
    auto rows = std::make_unique<NpzRows::State>();
    rows->path = state_->path;
    rows->name = name;
    rows->header = std::move(array.header);
    rows->entry = std::move(array.entry);
    rows->archive = state_->file.bytes();
    return NpzRows(std::move(rows));
  } catch (Error& error) {
    throw error.in(state_->path);
  }
}

NpzRows::NpzRows(std::unique_ptr<State> state) : state_(std::move(state)) {}
NpzRows::~NpzRows() = default;
NpzRows::NpzRows(NpzRows&& other) noexcept = default;
NpzRows& NpzRows::operator=(NpzRows&& other) noexcept = default;

DataType NpzRows::type() const {
  return state_->header.type;
}

const Shape& NpzRows::shape() const {
  return state_->header.shape;
}

Tensor NpzRows::next(std::int64_t count, MemoryCap* cap) {
  State& state = *state_;
  ORTOOL_CHECK(count >= 0 && state.done + count <= state.header.shape[0]);
  NpyHeader part = state.header;
  std::vector<std::int64_t> sizes(part.shape.begin(), part.shape.end());
  sizes[0] = count;
  part.shape = Shape(std::move(sizes));
  try {
    Tensor data(DataType::uint8, Shape{part.data_bytes()}, cap);
    read_exactly(state.entry.get(), state.name,
                 {data.mutable_bytes(), static_cast<std::size_t>(data.size_bytes())});
    state.done += count;
    state.undropped_bytes += data.size_bytes();
    if (state.undropped_bytes >= max_mapped_bytes) {
      drop_pages(state.archive);
      state.undropped_bytes = 0;
    }
    if (state.done == state.header.shape[0]) check_end(state.entry.get(), state.name);
    return tensor_from_npy_data(part, data, cap);
  } catch (Error& error) {
    throw error.in(state.path);
  }
}

void NpzRows::skip(std::int64_t count) {
  const std::int64_t all = std::max<std::int64_t>(1, state_->header.shape[0]);
  const std::int64_t row_bytes = std::max<std::int64_t>(1, state_->header.data_bytes() / all);
  const std::int64_t most = std::max<std::int64_t>(1, chunk_bytes / row_bytes);
  while (count > 0) {
    const std::int64_t now = std::min(count, most);
    static_cast<void>(next(now));
    count -= now;
  }
}

void save_npz(const std::string& path, std::span<const std::pair<std::string, Tensor>> tensors,
              bool compress) {
  // The earliest date that the format can express, so that equal content gives equal files.
  constexpr zip_uint16_t no_time = 0;
  constexpr zip_uint16_t first_date = 0x21;
  zip_error_t error;
  zip_error_init(&error);
  const auto fail = [&path](std::string_view reason) {
    throw Error(ErrorCode::write_failed, format("the archive cannot be made: {}", reason)).in(path);
  };
  zip_source_t* whole = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (whole == nullptr) fail(message_of(error));
  zip_source_keep(whole);
  const std::unique_ptr<zip_source_t, decltype(&zip_source_free)> keep(whole, &zip_source_free);
  Archive archive(zip_open_from_source(whole, ZIP_TRUNCATE, &error));
  if (archive == nullptr) {
    zip_source_free(whole);
    fail(message_of(error));
  }
  // The parts must stay at stable addresses until the archive is closed.
  std::list<NpyParts> parts;
  for (const auto& [name, tensor] : tensors) {
    NpyParts& part = parts.emplace_back();
    make_npy(tensor, part);
    zip_buffer_fragment_t fragments[2] = {
        {reinterpret_cast<zip_uint8_t*>(part.header.data()), part.header.size()},
        {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(part.data.data())),
         part.data.size()}};
    zip_source_t* source =
        zip_source_buffer_fragment(archive.get(), fragments, part.data.empty() ? 1 : 2, 0);
    if (source == nullptr) fail(zip_strerror(archive.get()));
    const zip_int64_t index =
        zip_file_add(archive.get(), (name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail(format("{}: {}", quote(name), zip_strerror(archive.get())));
    }
    const auto entry = static_cast<zip_uint64_t>(index);
    if (zip_set_file_compression(archive.get(), entry, compress ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                 6) != 0 ||
        zip_file_set_dostime(archive.get(), entry, no_time, first_date, 0) != 0)
      fail(zip_strerror(archive.get()));
  }
  if (zip_close(archive.get()) != 0) fail(zip_strerror(archive.get()));
  static_cast<void>(archive.release());

  AtomicFile file(path);
  if (zip_source_open(whole) != 0) fail("its bytes cannot be read back");
  std::vector<std::byte> chunk(static_cast<std::size_t>(chunk_bytes));
  for (;;) {
    const zip_int64_t got = zip_source_read(whole, chunk.data(), chunk.size());
    if (got < 0) fail("its bytes cannot be read back");
    if (got == 0) break;
    file.write(std::span(chunk).first(static_cast<std::size_t>(got)));
  }
  zip_source_close(whole);
  file.commit();
}

}  // namespace ortool
