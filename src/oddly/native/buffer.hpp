// SPDX-License-Identifier: Apache-2.0
// A plain array that is never initialised and can give its tail back.
//
// The first touch of a page costs more than the work done on it, so large arrays are mapped directly, ask for huge
// pages, and are shrunk in place instead of copied.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace oddly {

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t size) : size_(size), capacity_(size) {
    if (bytes() < kMapped) {
      data_ = static_cast<T*>(std::malloc(bytes() ? bytes() : 1));
      if (!data_) throw std::bad_alloc();
      return;
    }
    reserved_ = round_up(bytes(), kHuge) + kHuge;
    mapping_ = mmap(nullptr, reserved_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) {
      mapping_ = nullptr;
      throw std::bad_alloc();
    }
    data_ = reinterpret_cast<T*>(round_up(reinterpret_cast<uintptr_t>(mapping_), kHuge));
#ifdef MADV_HUGEPAGE
    madvise(data_, round_up(bytes(), kHuge), MADV_HUGEPAGE);
#endif
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (mapping_)
      munmap(mapping_, reserved_);
    else
      std::free(data_);
  }

  // Keep the first `size` elements; whole pages behind them go back to the system.
  void shrink(size_t size) {
    size_ = capacity_ = size;
    if (!mapping_) {
      if (void* smaller = std::realloc(data_, bytes() ? bytes() : 1)) data_ = static_cast<T*>(smaller);
      return;
    }
    size_t lead = reinterpret_cast<char*>(data_) - static_cast<char*>(mapping_);
    size_t keep = lead + round_up(bytes() ? bytes() : 1, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
    if (keep < reserved_) {
      munmap(static_cast<char*>(mapping_) + keep, reserved_ - keep);
      reserved_ = keep;
    }
  }
  // Another size, the contents lost; the memory is kept if it is large enough.
  void reset(size_t size) {
    if (size > capacity_)
      *this = Buffer(size);
    else
      size_ = size;
  }
  void clear() { *this = Buffer(); }

  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  static constexpr size_t kHuge = size_t{1} << 21;
  static constexpr size_t kMapped = size_t{1} << 22;
  static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }
  void swap(Buffer& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(mapping_, other.mapping_);
    std::swap(reserved_, other.reserved_);
  }

  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
  void* mapping_ = nullptr;
  size_t reserved_ = 0;
};

}  // namespace oddly
