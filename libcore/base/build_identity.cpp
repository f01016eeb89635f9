// Build ID: the ELF note of the object that holds this code.
#include "libcore/base/build_identity.hpp"

#include <cstdint>
#include <cstring>
#include <link.h>

#include <sys/stat.h>

#include "libcore/base/format.hpp"
#include "libcore/base/version.hpp"

namespace ortool {
namespace {

constexpr std::size_t padding = 4;

std::size_t padded(std::size_t bytes) {
  return (bytes + padding - 1) / padding * padding;
}

/// The build ID among the notes of a segment, as text; empty if there is none.
std::string id_in_notes(const char* notes, std::size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes, sizeof head);
    const std::size_t name_bytes = padded(head.n_namesz);
    const std::size_t whole = sizeof head + name_bytes + padded(head.n_descsz);
    if (whole > size) return {};
    const char* const content = notes + sizeof head + name_bytes;
    const bool is_gnu = head.n_namesz == 4 && std::memcmp(notes + sizeof head, "GNU", 4) == 0;
    if (is_gnu && head.n_type == NT_GNU_BUILD_ID) {
      std::string text;
      for (std::size_t i = 0; i < head.n_descsz; ++i)
        text += format("{}.", static_cast<int>(static_cast<unsigned char>(content[i])));
      return text;
    }
    notes += whole;
    size -= whole;
  }
  return {};
}

bool holds(const dl_phdr_info& object, ElfW(Addr) address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const ElfW(Addr) first = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= first && address < first + segment.p_memsz)
      return true;
  }
  return false;
}

/// The stamp of an object's file, for objects that were linked without a build ID.
std::string stamp_of(const dl_phdr_info& object) {
  const std::string path = object.dlpi_name != nullptr && object.dlpi_name[0] != '\0'
                               ? object.dlpi_name
                               : "/proc/self/exe";
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return format("{}-{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

int read_own_object(dl_phdr_info* object, std::size_t, void* result) {
  const auto own = reinterpret_cast<ElfW(Addr)>(&build_identity);
  if (!holds(*object, own)) return 0;
  auto& id = *static_cast<std::string*>(result);
  for (int i = 0; i < object->dlpi_phnum && id.empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    id = id_in_notes(reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr),
                     segment.p_memsz);
  }
  if (id.empty()) id = stamp_of(*object);
  return 1;
}

}  // namespace

std::string build_identity() {
  std::string id;
  ::dl_iterate_phdr(&read_own_object, &id);
  return format("{} {} {}", version(), commit(), id);
}

}  // namespace ortool
