// SPDX-License-Identifier: Apache-2.0
// A plain array that is never initialised and can give its tail back.
//
// The first touch of a page costs more than the work done on it. So large arrays are mapped directly, ask for huge
// pages, and are shrunk in place instead of copied; and middling ones, when they are done with, wait in a small pool
// for the next array of their size instead of going back to the system.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace oddly {

// Blocks of memory that this thread has done with.
class Pool {
 public:
  // A block of at least so many bytes, and how many it has; an unsuitable pool gives none.
  static std::pair<void*, size_t> take(size_t bytes) {
    Pool* pool = mine();
    if (!pool || bytes < kSmallest) return {nullptr, 0};
    size_t best = kBlocks;
    for (size_t i = 0; i < pool->count_; i++)
      if (pool->blocks_[i].bytes >= bytes && pool->blocks_[i].bytes <= 2 * bytes &&
          (best == kBlocks || pool->blocks_[i].bytes < pool->blocks_[best].bytes))
        best = i;
    if (best == kBlocks) return {nullptr, 0};
    Block found = pool->blocks_[best];
    pool->blocks_[best] = pool->blocks_[--pool->count_];
    pool->total_ -= found.bytes;
    return {found.data, found.bytes};
  }
  static void give(void* data, size_t bytes) {
    Pool* pool = mine();
    if (!pool || bytes < kSmallest || pool->count_ == kBlocks || pool->total_ + bytes > kMost) return std::free(data);
    pool->blocks_[pool->count_++] = {data, bytes};
    pool->total_ += bytes;
  }

  ~Pool() {
    over_ = true;
    while (count_) std::free(blocks_[--count_].data);
  }

 private:
  struct Block {
    void* data;
    size_t bytes;
  };
  static constexpr size_t kSmallest = size_t{1} << 15, kMost = size_t{1} << 24, kBlocks = 64;

  static Pool* mine() {
#ifdef __SANITIZE_ADDRESS__
    return nullptr;  // so that a use after free is seen
#else
    if (over_) return nullptr;
    static thread_local Pool pool;
    return &pool;
#endif
  }
  static inline thread_local bool over_ = false;  // arrays may outlive the thread's pool

  Block blocks_[kBlocks];
  size_t count_ = 0, total_ = 0;
};

template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t size) : size_(size), reserved_(size ? size * sizeof(T) : 1) {
    if (reserved_ < kMapped) {
      auto [data, bytes] = Pool::take(reserved_);
      if (data) reserved_ = bytes;
      data_ = static_cast<T*>(data ? data : std::malloc(reserved_));
      if (!data_) throw std::bad_alloc();
      return;
    }
    reserved_ = round_up(reserved_, kHuge) + kHuge;
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
    else if (data_)
      Pool::give(data_, reserved_);
  }

  // Keep the first `size` elements; what lies behind them goes back, if it is worth the trouble.
  void shrink(size_t size) {
    size_ = size;
    if (mapping_) {
      size_t keep = lead() + round_up(bytes() ? bytes() : 1, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
      if (keep >= reserved_) return;
      munmap(static_cast<char*>(mapping_) + keep, reserved_ - keep);
      reserved_ = keep;
    } else if (reserved_ > bytes() + bytes() / 4 + 64) {
      size_t smaller = bytes() ? bytes() : 1;
      if (void* data = std::realloc(data_, smaller)) data_ = static_cast<T*>(data), reserved_ = smaller;
    }
  }
  // Another size, the contents lost; the memory is kept if it is large enough.
  void reset(size_t size) {
    if (data_ && size * sizeof(T) <= reserved_ - lead())
      size_ = size;
    else
      *this = Buffer(size);
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
  size_t lead() const {  // of a mapping, what lies before the aligned data
    return mapping_ ? static_cast<size_t>(reinterpret_cast<char*>(data_) - static_cast<char*>(mapping_)) : 0;
  }
  void swap(Buffer& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(reserved_, other.reserved_);
    std::swap(mapping_, other.mapping_);
  }

  T* data_ = nullptr;
  size_t size_ = 0, reserved_ = 0;  // in elements; in bytes
  void* mapping_ = nullptr;
};

}  // namespace oddly
