#pragma once
// The data of a family of grids: decompositions, an executor per patch, memory for every field.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/domain/data/balancing.hpp"
#include "goban/domain/data/busy_times.hpp"
#include "goban/domain/data/near_fields.hpp"
#include "goban/domain/data/numbered.hpp"
#include "goban/domain/data/rings.hpp"
#include "goban/domain/data/shared_boxes.hpp"
#include "goban/domain/halo/channels.hpp"
#include "goban/domain/halo/message.hpp"
#include "goban/field/layout.hpp"
#include "goban/grid/patches.hpp"
#include "goban/lowering/command.hpp"

namespace goban {

/// What of the machine computes, where the settings name the CPU beside other devices.
enum class Helpers : std::uint8_t { take_part, left_out };

/// Makes the executors of `patches` patches of this rank; patches may share one.
using ExecutorFactory =
    std::function<std::vector<std::shared_ptr<Executor>>(int patches, Helpers helpers)>;

/// Memory of one field on every patch of the rank that its grid has. Names are bound to buffers;
/// swaps exchange bindings.
struct Buffer {
  int serial = -1;  ///< the number of the buffer in the domain, the same on every rank
  Extents halo;
  Index skew = 0;                                  ///< bytes before the layout's start
  std::vector<FieldLayout> layout;                 ///< per patch of the rank
  std::vector<std::shared_ptr<std::byte>> memory;  ///< per patch; in place: of component 0
  std::vector<ComponentHalo> halos;                ///< per component
  std::vector<Rings> rings;                        ///< per patch; empty unless stored in place
  bool is_sent = false, is_used = true;            ///< see BufferState

  /// Local cell (0, 0, 0) of a component on the patch at this position among the rank's own.
  std::byte* cells(std::size_t position, int component) const;
};

/// Its FieldStore calls are collective: every rank makes them, in the same order.
class Domain : public FieldStore {
 public:
  Domain(GridState& grid, ExecutorFactory executors);
  ~Domain() override;

  /// The root of the family.
  const GridState& grid() const { return grid_; }
  const GridState& grid_of(const FieldRecord& field) const { return grid_.member(field.grid); }
  void add_grids() override;
  /// A grid that is not cut as the one it is coarsened from: stages that work on both do so on its
  /// image. Null: it is.
  GridState* image_of(const GridState& grid) const;
  /// Makes it known what patches of a grid of active cells read of each other within so many cells,
  /// see Patches::lists(); returns the most ghosts that one of all patches has there. Collective.
  Index list_ghosts(const GridState& grid, int reach);
  /// The ranks that share the grid; messages and collective calls of this domain alone.
  Communicator& communicator() { return *communicator_; }
  Messages& messages() { return messages_; }
  const HaloChannels& channels() const { return channels_; }
  /// Before a schedule is run. Collective.
  void open_channels(const Schedule& schedule, const Slots& slots);
  /// Whether some halos come from other ranks.
  bool has_messages() const;
  const Decomposition& decomposition(int grid = 0) const { return patches_.decomposition(grid); }
  const Patches& patches() const { return patches_; }
  Executor& executor(int patch) { return *executors_[patches_.position(patch)]; }
  /// Any of them. Exists on ranks without patches, too.
  Executor& some_executor() const { return *executors_.front(); }
  /// CPUs compute beside other devices: all are asynchronous, none runs passes or sends.
  bool is_mixed() const {
    return goban::is_mixed(grid_.context->settings()) && helpers_ == Helpers::take_part;
  }
  /// As the settings want it.
  Overlap overlap() const;
  /// Whether some executors, of all ranks, are faster than others.
  bool is_uneven() const { return is_uneven_; }
  /// All executors, of all ranks, can replay what they have recorded.
  bool can_record() const { return can_record_; }

  /// Moves all data by global index onto a new decomposition of the root, which coarser grids
  /// follow. Collective.
  void redistribute(const Decomposition& decomposition, Helpers helpers = Helpers::take_part);
  /// How often that has happened: schedules are made for one decomposition.
  int distribution() const { return distribution_; }
  /// Makes sure the field's buffer exists with at least this halo; data is kept.
  void provide(int field, const Extents& halo);
  /// Narrows a halo that is wider than this; data is kept. Nothing is under way. Not in place.
  /// Error (ExitCode::resources): there is no room for both.
  void fit(int field, const Extents& halo);
  /// Ghosts are to be made anew before they are read.
  void forget_halo(int field);
  /// A second buffer like the field's, not bound to any name; made at first use.
  Buffer& spare(int field);

  Buffer& buffer(int field);
  /// What commands name by this number.
  Buffer& memory(MemoryNumber memory);
  /// Fields stored in place that share memory: from now on the cells of `to` lie where those of
  /// `from` lie that are so far away, an offset per component.
  void shift_in_place(int from, int to, const std::vector<std::array<int, 3>>& offsets);

  /// Pointers for one patch of a buffer; clip is left to the caller.
  FieldBinding bind(const Buffer& buffer, int patch) const;
  /// Binds the buffer on patch `to`, a neighbour of `from`, for the device that computes `from`;
  /// `to` may be another rank's if reach_halos() was called for the buffer.
  FieldBinding bind_neighbor(const Buffer& buffer, int from, int to) const;
  /// Before devices store into halos of this buffer that other ranks have, along axes that have
  /// peer channels. Collective.
  void reach_halos(const Buffer& buffer);
  /// Bytes allocated, and what a halo of this width for each field would take.
  std::size_t bytes_allocated() const;
  std::size_t bytes_needed(const std::vector<Extents>& halo_of_field) const;

  /// The executors, each once.
  std::vector<Executor*> executors() const;

  /// Waits for all submitted work.
  void synchronize();
  /// What commands are lowered for; depends on both numbers, the decomposition and boundary
  /// conditions alone.
  Bindings bindings();
  /// As if all fields had memory with these halos, nothing in them. Nothing is allocated.
  Bindings bindings_with(const std::vector<Extents>& halo_of_field) const;
  /// What computes the patches and the channels between them, without memory.
  Bindings bindings_of_patches() const;
  int state_number();
  int under_way_number() const { return under_way_; }
  /// Numbers for what a list leaves behind.
  int number(const BufferState& state) { return states_.number(state); }
  int number(const Hazards& hazards) { return hazards_.number(hazards); }
  /// Work before that commands wait for, by its number among what was left.
  const EventPtr& left(std::size_t i) const { return left_[i]; }
  /// Commands of a list have been submitted, with these events: names are bound and halos valid as
  /// it leaves them. `state`, `under_way`: numbers of what it leaves.
  void finish(const CommandList& list, int state, int under_way,
              const std::vector<EventPtr>& events);
  /// Calls `work`, which may finish() lists that are not submitted, and undoes what that did. It
  /// submits nothing and allocates nothing.
  void look_ahead(const std::function<void()>& work);

  /// Replayed work leaves no trace in the hazards: what is submitted otherwise waits for all of it.
  void before_replay();
  void after_replay();
  void forget_hazards();

  BusyTimes& busy_times() { return busy_times_; }
  const BusyTimes& busy_times() const { return busy_times_; }
  /// Starts anew with what the executors take for every sweep. Nothing is under way.
  void keep_busy_times();
  /// Seconds since then that whoever computes a patch was busy with all its patches, of all
  /// patches. Collective.
  std::vector<double> take_busy_times();
  Balancing& balancing() { return balancing_; }
  /// The widest halo of all fields, on any side.
  Index widest_halo() const;

  void fill(const FieldRecord& field, const RowFunction& value,
            const BoxFunction& prepare) override;
  void fill(const FieldRecord& field, double value) override;
  /// Sets the memory of every patch from its first cell on, through all components, whatever lies
  /// there. Collective.
  void fill_memory(const FieldRecord& field,
                   const std::function<std::span<const std::byte>(int patch)>& bytes);
  void copy_out(const FieldRecord& field, const Box& box, void* elements) override;
  void copy_out_own(const FieldRecord& field, const Box& box, void* elements) override;
  void copy_in(const FieldRecord& field, const Box& box, const void* elements) override;
  double sum(const FieldRecord& field, int component) override;
  double minimum(const FieldRecord& field, int component) override;
  double maximum(const FieldRecord& field, int component) override;
  std::uint64_t checksum(const FieldRecord& field) override;

  /// A field and the number of its first value; values follow in the order of components, then z,
  /// y, x.
  struct NumberedField {
    const FieldRecord* record = nullptr;
    std::uint64_t first = 0;
  };
  static constexpr std::uint64_t none_is_nonfinite = ~std::uint64_t{0};
  /// Looks for NaN and infinity in all values of this rank as they are when what was submitted is
  /// done; devices do so while the host goes on.
  void look_for_nonfinite(const std::vector<NumberedField>& fields);
  /// The least number of a value that was found since the last call. Waits for what was submitted.
  std::uint64_t first_nonfinite();

 private:
  /// Before memory is touched: that of a machine is promised to more than can have it. Error
  /// (ExitCode::resources): a large field does not fit.
  void require_memory(const FieldRecord& field, const Extents& halo) const;
  Buffer make_buffer(const FieldRecord& field, const Extents& halo);
  /// The field's cells move to a buffer with this halo.
  void move_to(std::unique_ptr<Buffer>& slot, const FieldRecord& field, const Extents& halo);
  /// To be called before the memory of a buffer goes.
  void close(const Buffer& buffer);
  void release_unused();
  Buffer allocate(const FieldRecord& field, const Extents& halo, int serial);
  std::shared_ptr<std::byte> reached(const Executor& owner, std::shared_ptr<std::byte> memory,
                                     std::size_t bytes) const;
  std::vector<std::shared_ptr<Executor>> make_executors();
  void add_grid(const GridState& grid);
  static FieldLayout layout_of(const FieldRecord& field, const PatchGeometry& patch,
                               const Extents& halo, const Executor& owner);
  bool has_uneven_executors() const;
  void keep_event_times();
  /// The buffer of a field that has values of its own.
  Buffer& values_of(const FieldRecord& field);
  /// Patches and what computes them.
  struct Place {
    const Patches& patches;
    const std::vector<std::shared_ptr<Executor>>& executors;
  };
  Place here() const { return {patches_, executors_}; }
  void transfer(const FieldRecord& field, const Buffer& from, const Place& place, Buffer& to);
  void modified(Buffer& buffer);
  /// What the host does with the cells it is shown. Before they are replaced they, and what lies
  /// between them, are zeros.
  enum class HostAccess { read, modify, replace };
  /// Part of a box, local cell (0, 0, 0) of a component, bytes from there to that of each
  /// component.
  using HostWork = std::function<void(const Box&, std::byte*, const std::vector<Index>&)>;
  /// All parts of a box of a patch, in memory the host can use: the patch's own, or, of devices, a
  /// copy of it that goes back unless it was only read. One part moves while the host works on
  /// another.
  static void on_host(const Buffer& buffer, const Place& place, int patch, int component,
                      int components, const Box& box, HostAccess access, const HostWork& work);
  /// Values of the rank's own patches, from and to a dense array over a box of the grid.
  static void read(const FieldRecord& field, const Buffer& buffer, const Place& place,
                   const Box& box, std::byte* elements);
  void write(const FieldRecord& field, Buffer& buffer, const Box& box, const std::byte* elements);
  Buffer& to_be_filled(const FieldRecord& field);
  void fill_rows(const FieldRecord& field, const FieldLayout& layout, const PatchGeometry& patch,
                 const Box& box, std::byte* cells, const std::vector<Index>& components,
                 const RowFunction& value);
  void fill_box(const FieldRecord& field, const Buffer& buffer, const PatchGeometry& patch,
                const Box& box, const RowFunction& value);
  /// Shares all values of a field: each rank has a box of them.
  SharedBoxes shared(const FieldRecord& field, const Decomposition& decomposition) const;
  std::uint64_t least_nonfinite(const FieldRecord& field);
  double reduce(const FieldRecord& field, int component, Reduction kind);
  DeviceCells device_cells(const FieldRecord& field, int component, const PatchGeometry& patch);
  template <class Visit>
  void visit_rows(const FieldRecord& field, int component, Visit&& visit,
                  const std::function<bool(const PatchGeometry&)>& leaves_out = nullptr);

  GridState& grid_;
  ExecutorFactory factory_;
  std::shared_ptr<Communicator> communicator_;
  Helpers helpers_ = Helpers::take_part;
  Patches patches_;
  Messages messages_;
  int distribution_ = 0;
  bool can_record_ = false;
  std::vector<std::shared_ptr<Executor>> executors_;
  HaloChannels channels_;
  NearFields near_fields_;
  Numbered<BufferState> states_;
  Numbered<Hazards> hazards_;
  int state_ = -1;      ///< the number of the state that the buffers are in; -1: they have changed
  int under_way_ = -1;  ///< what work that was submitted has touched
  std::vector<EventPtr> left_;
  std::vector<std::unique_ptr<Buffer>> moved_;  ///< for finish() alone
  BusyTimes busy_times_;
  bool is_uneven_ = false;
  Balancing balancing_;
  bool has_replayed_ = false;
  int buffers_made_ = 0;
  std::uint64_t nonfinite_ = none_is_nonfinite;   ///< least number of one that the host has found
  std::vector<std::unique_ptr<Buffer>> buffers_;  ///< per field id; null until needed
  /// Spare buffers, per field id; null until needed.
  std::vector<std::unique_ptr<Buffer>> spares_;
};

/// How a grid is cut.
const Decomposition& decomposition_of(GridState& grid);
/// The domain behind a grid. Error: the grid's store is of another kind.
Domain& domain_of(GridState& grid);

}  // namespace goban
