// Scanners read whole vectors, so a few bytes past the end of the text must be readable. A file whose size is
// a multiple of the page size has no such bytes in its mapping; hence the file is mapped over the beginning
// of a slightly larger region of zero pages, which costs address space only.
#include "io/mapped_file.h"

#include <sys/mman.h>

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <cerrno>

#include "io/error.h"

namespace tokmill {

namespace bip = boost::interprocess;

namespace {
MappedFile* first_mapping = nullptr;  // one thread maps; the signal handler only reads
}

MappedFile::MappedFile(const std::string& path, const FileIdentity& expected, std::uint64_t begin,
                       std::uint64_t end)
    : path_(path), next_(first_mapping) {
  if (File(path).identity() != expected || end > expected.size || begin > end) {
    throw Error::at(path, "changed since the run began; run again when nothing writes to it");
  }
  const std::uint64_t page = bip::mapped_region::get_page_size();
  const std::uint64_t first_page = begin / page * page;
  ground_size_ = end - first_page + kSlack + page;
  ground_ = ::mmap(nullptr, ground_size_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (ground_ == MAP_FAILED) throw Error::system(path, "cannot be mapped into memory", errno);
  if (end > begin) {
    try {
      const bip::file_mapping mapping(path.c_str(), bip::read_only);
      bip::mapped_region region(mapping, bip::read_only, static_cast<bip::offset_t>(first_page),
                                end - first_page, ground_, MAP_SHARED | MAP_FIXED);
      region_.swap(region);
    } catch (const bip::interprocess_exception& error) {
      ::munmap(ground_, ground_size_);
      throw Error::at(path, std::string("cannot be mapped into memory: ") + error.what());
    }
  }
  bytes_ = {static_cast<const char*>(ground_) + (begin - first_page), end - begin};
  first_mapping = this;
}

MappedFile::~MappedFile() {
  for (MappedFile** link = &first_mapping; *link != nullptr; link = &(*link)->next_) {
    if (*link == this) {
      *link = next_;
      break;
    }
  }
  { bip::mapped_region().swap(region_); }  // before the ground goes
  ::munmap(ground_, ground_size_);
}

const char* MappedFile::path_of_address(const void* address) {
  for (const MappedFile* file = first_mapping; file != nullptr; file = file->next_) {
    const char* ground = static_cast<const char*>(file->ground_);
    if (address >= ground && address < ground + file->ground_size_) return file->path_.c_str();
  }
  return nullptr;
}

}  // namespace tokmill
