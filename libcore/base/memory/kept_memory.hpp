// Memory that is kept for later use, and freed where a memory cap has no room left.
#pragma once

namespace ortool {

class MemoryCap;

/// Safe for many threads.
class KeptMemory {
 public:
  /// `cap`, which may be null, counts the memory and must outlive it.
  explicit KeptMemory(MemoryCap* cap) : cap_(cap) {}
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  /// Frees the memory and gives it back to the cap. Called by any thread while it is listed.
  virtual void release_kept() noexcept = 0;

 protected:
  virtual ~KeptMemory() { unlist(); }
  /// For the constructor of the derived class, once everything is made.
  void list() noexcept;
  /// For the destructor of the derived class, before anything is destroyed.
  void unlist() noexcept;

 private:
  friend bool release_kept_memory(const MemoryCap& cap) noexcept;

  MemoryCap* cap_;
  KeptMemory* before_ = nullptr;
  KeptMemory* after_ = nullptr;
  bool is_listed_ = false;
};

/// Frees all that counts against `cap`; false where nothing does.
bool release_kept_memory(const MemoryCap& cap) noexcept;

/// While one lives, nothing is released for what its thread takes from a cap: for code that holds
/// locks which release_kept() needs.
class NoRelease {
 public:
  NoRelease() noexcept;
  ~NoRelease();
  NoRelease(const NoRelease&) = delete;
  NoRelease& operator=(const NoRelease&) = delete;
};

}  // namespace ortool
