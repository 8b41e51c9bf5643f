#pragma once
// A domain holds the data of a family of grids: their decompositions, an executor per patch, and
// memory for every field.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "goban/backend/api.hpp"
#include "goban/base/communicator.hpp"
#include "goban/domain/data/balancing.hpp"
#include "goban/domain/data/busy_times.hpp"
#include "goban/domain/data/given_memory.hpp"
#include "goban/domain/data/list_values.hpp"
#include "goban/domain/data/near_fields.hpp"
#include "goban/domain/data/numbered.hpp"
#include "goban/domain/data/rings.hpp"
#include "goban/domain/data/shared_boxes.hpp"
#include "goban/domain/halo/channels.hpp"
#include "goban/domain/halo/message.hpp"
#include "goban/field/layout.hpp"
#include "goban/grid/list_halos.hpp"
#include "goban/grid/patches.hpp"
#include "goban/lowering/command.hpp"

namespace goban {

/// Whether the CPU computes, too, where the settings name it beside other devices.
enum class Helpers : std::uint8_t { take_part, left_out };

/// Makes the executors for `patches` patches of this rank. Several patches may share one.
using ExecutorFactory =
    std::function<std::vector<std::shared_ptr<Executor>>(int patches, Helpers helpers)>;

/// The memory of one field on all patches of its grid that this rank has. Names of fields are bound
/// to buffers; swaps exchange bindings.
struct Buffer {
  int serial = -1;  ///< the number of the buffer, the same on every rank; -1: none
  Extents halo;
  Index skew = 0;  ///< bytes between the start of the memory and that of the layout
  std::vector<FieldLayout> layout;  ///< one per patch of the rank
  /// One per patch; of component 0 if stored in place.
  std::vector<std::shared_ptr<std::byte>> memory;
  std::vector<ComponentHalo> halos;      ///< one per component
  std::vector<Rings> rings;              ///< one per patch if stored in place, else empty
  bool is_sent = false, is_used = true;  ///< see BufferState
  bool is_given = false;                 ///< it lies in the user's memory, see Domain::place()

  /// Returns the address of local cell (0, 0, 0) of a component, on the patch at this position
  /// among those of the rank.
  std::byte* cells(std::size_t position, int component) const;
};

/// Owns the fields of a family of grids on this rank. The calls of FieldStore are collective: every
/// rank makes them, in the same order.
class Domain : public FieldStore {
 public:
  Domain(GridState& grid, ExecutorFactory executors);
  ~Domain() override;

  /// Returns the finest grid, the root of the family.
  const GridState& grid() const { return grid_; }
  const GridState& grid_of(const FieldRecord& field) const { return grid_.member(field.grid); }
  void add_grids() override;
  /// Returns the image of a grid: a grid with the same cells, cut as the grid that it is coarsened
  /// from is, on which stages that work on both grids run. Returns null if the grid itself is cut
  /// so.
  GridState* image_of(const GridState& grid) const;
  /// Finds out which cells patches of a grid of active cells read of each other up to `reach` cells
  /// away, see Patches::lists(). Returns the largest number of such ghosts that a patch of any rank
  /// has. Collective.
  Index list_ghosts(const GridState& grid, int reach);
  /// Returns how a grid of active cells is cut, for the reach with which list_ghosts() was first
  /// called. Returns null if it was not called.
  const ListCut* list_cut(int grid) const {
    const auto found = list_cuts_.find(grid);
    return found == list_cuts_.end() ? nullptr : &found->second;
  }
  /// Returns the communicator of the ranks that share the grid. Only this domain uses it.
  Communicator& communicator() { return *communicator_; }
  Messages& messages() { return messages_; }
  const HaloChannels& channels() const { return channels_; }
  /// Opens the channels for the messages of a schedule. Must be called before the schedule is
  /// lowered. Collective.
  void open_channels(const Schedule& schedule, const Slots& slots);
  /// Returns whether some halos come from other ranks.
  bool has_messages() const;
  const Decomposition& decomposition(int grid = 0) const { return patches_.decomposition(grid); }
  const Patches& patches() const { return patches_; }
  Executor& executor(int patch) { return *executors_[patches_.position(patch)]; }
  /// Returns one of the executors. Ranks without patches have one, too.
  Executor& some_executor() const { return *executors_.front(); }
  /// Returns whether CPUs compute beside other devices. Then all executors are asynchronous, and
  /// none runs passes or stores into other patches' halos.
  bool is_mixed() const {
    return goban::is_mixed(grid_.context->settings()) && helpers_ == Helpers::take_part;
  }
  /// Returns the overlap that the settings ask for.
  Overlap overlap() const;
  /// Returns whether executors, of all ranks, are of different models, so that some are faster.
  bool is_uneven() const { return is_uneven_; }
  /// Returns whether all executors of all ranks can record work and replay it.
  bool can_record() const { return can_record_; }

  /// Moves all data by global index onto a new decomposition of the root; coarser grids are cut to
  /// match it. Collective.
  void redistribute(const Decomposition& decomposition, Helpers helpers = Helpers::take_part);
  /// Returns how often redistribute() was called. Schedules are valid for one distribution.
  int distribution() const { return distribution_; }
  /// Makes sure that the field has a buffer with at least this halo. Values are kept. Collective.
  void provide(int field, const Extents& halo);
  /// Lets a field that nobody has set lie in the user's memory, which must outlive the domain. The
  /// field has the values that are there; the next run begins with what others have written there
  /// by then. Names that are swapped exchange their memory, this included. Throws an Error
  /// (ExitCode::usage) if kernels cannot work with its layout, or if the grid is cut.
  void place(const FieldRecord& field, const GivenMemory& memory);
  bool has_given_memory() const { return has_given_; }
  /// Narrows a halo that is wider than this and keeps the values. No work may be under way. Does
  /// nothing for fields stored in place. Throws an Error (ExitCode::resources) if old and new
  /// buffer do not fit into memory at the same time.
  void fit(int field, const Extents& halo);
  /// Marks all ghosts of a field as stale.
  void forget_halo(int field);
  /// Returns the spare buffer of a field, which is like the field's own and bound to no name. Makes
  /// it at first use.
  Buffer& spare(int field);

  Buffer& buffer(int field);
  /// Returns the buffer that commands name by this number.
  Buffer& memory(MemoryNumber memory);
  /// Moves the cells of a field stored in place, in name: a cell of `to` lies from now on where
  /// `from`, which shares its memory, has the cell that is an offset away. There is one offset per
  /// component.
  void shift_in_place(int from, int to, const std::vector<std::array<int, 3>>& offsets);

  /// Returns the pointers and strides of a buffer on one patch. The caller sets the clip.
  FieldBinding bind(const Buffer& buffer, int patch) const;
  /// Returns the pointers and strides of a buffer on patch `to`, a neighbour of `from`, for the
  /// device that computes `from`. `to` may be a patch of another rank if reach_halos() was called
  /// for the buffer.
  FieldBinding bind_neighbor(const Buffer& buffer, int from, int to) const;
  /// Opens the memory of this buffer on other ranks to the devices of this one, along axes that
  /// have peer channels. Must be called before devices store into those halos. Collective.
  void reach_halos(const Buffer& buffer);
  /// Return the bytes that fields have on this rank, and the bytes that they would need with these
  /// halos.
  std::size_t bytes_allocated() const;
  std::size_t bytes_needed(const std::vector<Extents>& halo_of_field) const;
  /// Returns how many further sets of these fields find room on all executors of all ranks, if a
  /// fifth of the memory that is free stays so. Collective.
  Index copies_that_fit(const std::vector<std::shared_ptr<FieldRecord>>& fields);

  /// Returns the executors of this rank, each once.
  std::vector<Executor*> executors() const;

  /// Waits for all submitted work, also that of others in memory lent to them.
  void synchronize();
  /// Returns the state that commands are lowered for. It depends only on state_number(),
  /// under_way_number(), the decomposition and boundary conditions.
  Bindings bindings();
  /// Returns the bindings as if all fields had memory with these halos and all ghosts were stale.
  /// Allocates nothing.
  Bindings bindings_with(const std::vector<Extents>& halo_of_field) const;
  /// Returns the executors of patches and the channels between them, without memory.
  Bindings bindings_of_patches() const;
  /// Return the numbers of the state of all buffers, and of the hazards of work under way (-1:
  /// none). Equal states have equal numbers; phases are found by them.
  int state_number();
  int under_way_number() const { return under_way_; }
  /// Return the numbers for the state and the hazards that a list leaves behind.
  int number(const BufferState& state) { return states_.number(state); }
  int number(const Hazards& hazards) { return hazards_.number(hazards); }
  /// Returns the event of earlier work that commands may wait for; `i` is its number as in Wait.
  const EventPtr& left(std::size_t i) const { return left_[i]; }
  /// Must be called when the commands of a list have been submitted and have returned these events.
  /// Binds names and marks halos as the list says. `state`, `under_way`: the numbers of what it
  /// leaves behind.
  void finish(const CommandList& list, int state, int under_way,
              const std::vector<EventPtr>& events);
  /// Calls `work`, which may finish() lists without submitting them, and then restores the state of
  /// the domain. `work` must submit and allocate nothing.
  void look_ahead(const std::function<void()>& work);

  /// Replayed work leaves no trace in the hazards. These calls let work that is submitted in
  /// another way wait for all replayed work, and the other way round.
  void before_replay();
  void after_replay();
  void forget_hazards();

  BusyTimes& busy_times() { return busy_times_; }
  const BusyTimes& busy_times() const { return busy_times_; }
  /// Starts to measure how long executors work. No work may be under way.
  void keep_busy_times();
  /// Ends the measurement and returns, for every patch of all ranks, the seconds for which its
  /// executor was busy with all of its patches. Collective.
  std::vector<double> take_busy_times();
  Balancing& balancing() { return balancing_; }
  /// Returns the width of the widest halo of all fields, in cells.
  Index widest_halo() const;

  void fill(const FieldRecord& field, const RowFunction& value,
            const BoxFunction& prepare) override;
  void fill(const FieldRecord& field, double value) override;
  /// Copies bytes to the memory of every patch from its first cell on, across rows, ghosts and
  /// components. Tables of lists are set in this way. Collective.
  void fill_memory(const FieldRecord& field,
                   const std::function<std::span<const std::byte>(int patch)>& bytes);
  void copy_out(const FieldRecord& field, const Box& box, void* elements) override;
  void copy_out_own(const FieldRecord& field, const Box& box, void* elements) override;
  void copy_in(const FieldRecord& field, const Box& box, const void* elements) override;
  double sum(const FieldRecord& field, int component) override;
  double minimum(const FieldRecord& field, int component) override;
  double maximum(const FieldRecord& field, int component) override;
  std::uint64_t checksum(const FieldRecord& field) override;
  std::vector<MemoryView> views(const FieldRecord& field, ViewAccess access) override;
  std::int64_t views_number() const override { return views_number_; }
  void lend(const MemoryView& view, void* stream) override;
  void call_on_device(const std::vector<ViewedField>& fields,
                      const DeviceFunction& function) override;
  /// Ends all views of fields and waits for what others do in memory that was lent to them. The
  /// engine calls it before it runs.
  void end_views();

  /// A field and the number of its first value. Its values are numbered on by component, then z, y,
  /// x.
  struct NumberedField {
    const FieldRecord* record = nullptr;
    std::uint64_t first = 0;
  };
  static constexpr std::uint64_t none_is_nonfinite = ~std::uint64_t{0};
  /// Looks for NaN and infinity in all values that this rank has when all submitted work is done.
  /// Devices look while the host goes on.
  void look_for_nonfinite(const std::vector<NumberedField>& fields);
  /// Returns the least number of a value that was found since the last call, or none_is_nonfinite.
  /// Waits for submitted work.
  std::uint64_t first_nonfinite();

 private:
  /// Throws an Error (ExitCode::resources) if a large field does not fit into memory. Must be
  /// called before memory is touched, because operating systems promise more memory than there is.
  void require_memory(const FieldRecord& field, const Extents& halo) const;
  Buffer make_buffer(const FieldRecord& field, const Extents& halo);
  /// Moves the field's cells to a new buffer with this halo.
  void move_to(std::unique_ptr<Buffer>& slot, const FieldRecord& field, const Extents& halo);
  /// Must be called before the memory of a buffer is freed.
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
  /// Returns the buffer of a field. Throws an Error (ExitCode::usage) if the field shares the
  /// memory of another.
  Buffer& values_of(const FieldRecord& field);
  std::vector<MemoryView> views_of(const FieldRecord& field, ViewAccess access);
  MemoryView view_of(const FieldRecord& field, const Buffer& buffer, const PatchGeometry& patch);
  void await_guests();
  /// Patches and their executors, at present or before a redistribution.
  struct Place {
    const Patches& patches;
    const std::vector<std::shared_ptr<Executor>>& executors;
  };
  Place here() const { return {patches_, executors_}; }
  void transfer(const FieldRecord& field, const Buffer& from, const Place& place, Buffer& to);
  void modified(Buffer& buffer);
  /// What the host does with cells in on_host(). With `replace`, the cells and what lies between
  /// them hold zeros before the host writes them.
  enum class HostAccess { read, modify, replace };
  /// Gets a part of a box, the address of local cell (0, 0, 0) of the first component, and the
  /// distance in bytes from there to each component.
  using HostWork = std::function<void(const Box&, std::byte*, const std::vector<Index>&)>;
  /// Calls `work` for all parts of a box of a patch, in memory that the host can use: the patch's
  /// own or, for devices, a copy that goes back unless it was only read. One part is copied while
  /// the host works on another.
  static void on_host(const Buffer& buffer, const Place& place, int patch, int component,
                      int components, const Box& box, HostAccess access, const HostWork& work);
  /// Copy values of the rank's own patches to, and from, a dense array over a box of the grid.
  static void read(const FieldRecord& field, const Buffer& buffer, const Place& place,
                   const Box& box, std::byte* elements);
  void write(const FieldRecord& field, Buffer& buffer, const Box& box, const std::byte* elements);
  Buffer& to_be_filled(const FieldRecord& field);
  void fill_rows(const FieldRecord& field, const FieldLayout& layout, const PatchGeometry& patch,
                 const Box& box, std::byte* cells, const std::vector<Index>& components,
                 const RowFunction& value);
  void fill_box(const FieldRecord& field, const Buffer& buffer, const PatchGeometry& patch,
                const Box& box, const RowFunction& value);
  /// Returns the way to all values of a field, of which each rank has a box.
  SharedBoxes shared(const FieldRecord& field, const Decomposition& decomposition) const;
  /// Returns the same for a list of cells in parts, by number along the curve; none if the list
  /// itself is in that order.
  std::optional<ListValues> list_values(const FieldRecord& field) const;
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
  std::map<int, ListCut> list_cuts_;  ///< one per grid that list_ghosts() was called for
  Messages messages_;
  int distribution_ = 0;
  bool can_record_ = false;
  std::vector<std::shared_ptr<Executor>> executors_;
  HaloChannels channels_;
  NearFields near_fields_;
  Numbered<BufferState> states_;
  Numbered<Hazards> hazards_;
  int state_ = -1;      ///< state_number(); -1: to be found anew
  int under_way_ = -1;  ///< under_way_number()
  std::vector<EventPtr> left_;
  std::vector<std::unique_ptr<Buffer>> moved_;  ///< scratch memory of finish()
  BusyTimes busy_times_;
  bool is_uneven_ = false;
  Balancing balancing_;
  bool has_replayed_ = false;
  std::int64_t views_number_ = 0;
  bool are_lent_ = false;   ///< others may be at work in memory of a device
  bool has_given_ = false;  ///< some buffer lies in the user's memory
  int buffers_made_ = 0;
  std::uint64_t nonfinite_ = none_is_nonfinite;   ///< the least number that the host has found
  std::vector<std::unique_ptr<Buffer>> buffers_;  ///< by field id; null until needed
  /// The spare buffers, by field id; null until needed.
  std::vector<std::unique_ptr<Buffer>> spares_;
};

/// Returns how a grid is cut.
const Decomposition& decomposition_of(GridState& grid);
/// Returns the domain that holds a grid's fields. Throws if the grid's FieldStore is of another
/// kind.
Domain& domain_of(GridState& grid);

}  // namespace goban
