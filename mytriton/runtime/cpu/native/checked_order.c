// What the checker knows of the order of programs: which of them had published what it did, and to whom.

#include "runtime.h"

static struct history *history_of(struct checks *checks, unsigned stamp) {
  const size_t chunk = (stamp - checks->launch_stamp) / CHUNK;
  return chunk < checks->owner_capacity ? checks->owners[chunk] : NULL;
}

// The last of the blocks that began at a stamp or before it.
static size_t block_at(const struct history *history, unsigned stamp) {
  size_t low = 0, high = history->block_count;
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    *(history->blocks[middle].stamp <= stamp ? &low : &high) = middle;
  }
  return low;
}

// When the program at place `block` of a history first published what it had done at `stamp`; never is the largest number.
static uint64_t release_after(const struct history *history, size_t block, unsigned stamp) {
  const unsigned end = block + 1 < history->block_count ? history->blocks[block + 1].stamp : ~0u;
  size_t low = 0, high = history->release_count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (history->releases[middle].stamp < stamp) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < history->release_count && history->releases[low].stamp < end ? history->releases[low].time : UINT64_MAX;
}

void check_fence(struct mytriton_thread *thread) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  struct checks *checks = worker->job->checks;
  struct history *history = check->history;
  (void)thread;
  worker->critical = 1;
  pthread_mutex_lock(&checks->mutex);
  const uint64_t time = ++checks->time;
  if (!history->release_count || history->releases[history->release_count - 1].stamp != check->visible.stamp) {
    history->releases =
        grown(history->releases, history->release_count, &history->release_capacity, sizeof *history->releases);
    history->releases[history->release_count++] = (struct released){check->visible.stamp, time};
  }
  check->last_fence = time;
  if (check->pending_horizon > check->horizon) check->horizon = check->pending_horizon;
  pthread_mutex_unlock(&checks->mutex);
  worker->critical = 0;
}

static struct published *find_published(struct checks *checks, const void *address) {
  const size_t mask = checks->published_capacity - 1;
  size_t at = mixed((uint64_t)(uintptr_t)address) & mask;
  while (checks->published[at].address && checks->published[at].address != address) at = (at + 1) & mask;
  return &checks->published[at];
}

static struct published *published_at(struct checks *checks, const void *address) {
  if (2 * checks->published_count >= checks->published_capacity) {
    struct published *old = checks->published;
    const size_t capacity = checks->published_capacity;
    checks->published_capacity = capacity ? 2 * capacity : 64;
    checks->published = calloc(checks->published_capacity, sizeof *checks->published);
    if (!checks->published) abort();
    for (size_t at = 0; at < capacity; ++at)
      if (old[at].address) *find_published(checks, old[at].address) = old[at];
    free(old);
  }
  struct published *found = find_published(checks, address);
  if (!found->address) {
    found->address = address;
    ++checks->published_count;
  }
  return found;
}

// What a program publishes itself does not let it see what others have published elsewhere.
static void publish(struct published *at, unsigned program, uint64_t time) {
  if (at->owner == program) {
    if (at->time < time) at->time = time;
  } else if (at->time < time) {
    at->others_time = at->time;
    at->owner = program;
    at->time = time;
  } else if (at->others_time < time) {
    // The owner took its time later and was here earlier.
    at->others_time = time;
  }
}

void check_before_atomic(struct mytriton_thread *thread, const void *address) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  struct checks *checks = worker->job->checks;
  (void)thread;
  if (!check->last_fence) return;
  worker->critical = 1;
  pthread_mutex_lock(&checks->mutex);
  publish(published_at(checks, address), check->visible.first_stamp, check->last_fence);
  if (check->visible.stamp != check->last_stamp && check->visible.stamp - check->interval < PARTS) ++check->visible.stamp;
  pthread_mutex_unlock(&checks->mutex);
  worker->critical = 0;
}

void check_after_atomic(struct mytriton_thread *thread, const void *address) {
  struct worker *worker = running_worker();
  struct check *check = worker->check;
  struct checks *checks = worker->job->checks;
  (void)thread;
  worker->critical = 1;
  pthread_mutex_lock(&checks->mutex);
  if (checks->published_count) {
    const struct published *found = find_published(checks, address);
    const uint64_t time = found->owner == check->visible.first_stamp ? found->others_time : found->time;
    if (found->address && time > check->pending_horizon) check->pending_horizon = time;
  }
  pthread_mutex_unlock(&checks->mutex);
  worker->critical = 0;
}
