// Memory that is retained for reuse, and released when a memory cap is exhausted.
#pragma once

namespace ortool {

class MemoryCap;

/// Base class of such caches. Thread-safe.
class KeptMemory {
 public:
  /// `cap` counts the memory; it may be null and must outlive this object.
  explicit KeptMemory(MemoryCap* cap) : cap_(cap) {}
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  /// Frees the memory and returns it to the cap. Any thread may call this while it is registered.
  virtual void release_kept() noexcept = 0;

 protected:
  virtual ~KeptMemory() { unlist(); }
  /// To be called by the derived class's constructor once the object is complete.
  void list() noexcept;
  /// To be called by the derived class's destructor before anything is destroyed.
  void unlist() noexcept;

 private:
  friend bool release_kept_memory(const MemoryCap& cap) noexcept;

  MemoryCap* cap_;
  KeptMemory* before_ = nullptr;
  KeptMemory* after_ = nullptr;
  bool is_listed_ = false;
};

/// Frees everything retained under `cap`; returns false if there is nothing.
bool release_kept_memory(const MemoryCap& cap) noexcept;

/// While an object of this type exists, allocations of its thread release nothing: for code that
/// holds locks which release_kept() needs.
class NoRelease {
 public:
  NoRelease() noexcept;
  ~NoRelease();
  NoRelease(const NoRelease&) = delete;
  NoRelease& operator=(const NoRelease&) = delete;
};

}  // namespace ortool
