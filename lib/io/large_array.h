// Arrays of many megabytes, straight from the system.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace tokmill {

/// Zeros in a new file that has no name, mapped to be shared. Throws Error where `directory` has no room for
/// it.
void* map_temporary_file(std::size_t bytes, const std::string& directory);

/// An array of plain values, zero at first, in huge pages where the system gives them. It grows without
/// copying where the system can move pages, and gives memory back when it is destroyed or shrunk.
template <class T>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LargeArray() = default;
  /// Throws std::bad_alloc.
  explicit LargeArray(std::size_t size) { resize(size); }
  /// An array that lies in a file without a name in `directory`: the system can write its pages there when
  /// memory is short. It cannot be resized. Throws Error where there is no room for it.
  static LargeArray in_file(std::size_t size, const std::string& directory) {
    LargeArray array;
    if (size > 0) array.data_ = static_cast<T*>(map_temporary_file(bytes(size), directory));
    array.size_ = size;
    return array;
  }
  LargeArray(LargeArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  LargeArray& operator=(LargeArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~LargeArray() { release(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

  /// Keeps what fits; new elements are zero.
  void resize(std::size_t size) {
    if (size == 0) return release();
    if (size > (SIZE_MAX - kPage) / sizeof(T)) throw std::bad_alloc();
    if (size < size_) std::memset(static_cast<void*>(data_ + size), 0, rest_of_page(size));
    void* memory;
    if (data_ == nullptr) {
      memory = ::mmap(nullptr, bytes(size), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    } else {
      memory = ::mremap(data_, bytes(size_), bytes(size), MREMAP_MAYMOVE);
    }
    if (memory == MAP_FAILED) throw std::bad_alloc();
    ::madvise(memory, bytes(size), MADV_HUGEPAGE);  // best effort
    data_ = static_cast<T*>(memory);
    size_ = size;
  }

 private:
  static constexpr std::size_t kPage = 4096;
  static std::size_t bytes(std::size_t size) { return (size * sizeof(T) + kPage - 1) / kPage * kPage; }
  // Bytes between the elements and the end of the memory, which stays zero.
  static std::size_t rest_of_page(std::size_t size) { return bytes(size) - size * sizeof(T); }
  void release() {
    if (data_ != nullptr) ::munmap(data_, bytes(size_));
    data_ = nullptr;
    size_ = 0;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tokmill
