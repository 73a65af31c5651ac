"""Presenter of the playground: applies edits, decides what to fit next, and updates the texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PySide6.QtCore import QObject, QTimer, SignalInstance
from PySide6.QtGui import QUndoCommand, QUndoStack

from mcsvm_gui.core.base.i18n import tr
from mcsvm_gui.core.playground.drawing import MOST_CLASSES, MOST_POINTS, Drawing, cloud
from mcsvm_gui.core.playground.fit_options import MOST_MACHINES, SIX, FitOptions
from mcsvm_gui.core.playground.random_sets import drawn, random_sets
from mcsvm_gui.core.playground.tours import Stop, tours
from mcsvm_gui.ui.playground.exchange import Exchange, ExchangeView
from mcsvm_gui.ui.playground.memory import Memory
from mcsvm_gui.ui.playground.refit import Refitting
from mcsvm_gui.ui.playground.steps import TO_THE_END, Stepping

if TYPE_CHECKING:
    from mcsvm_gui.core.playground.pictures import Picture
    from mcsvm_gui.ui.runs.workspace import Workspace

SPREAD, PUFF = 0.12, 8  # of a cloud made by one notch of the wheel: its width and its number of points
FIRST_SET, FIRST_COUNT = "gaussians", 120


LATE = 400  # milliseconds without a picture after which the canvas shows a hint


class PlaygroundView(ExchangeView, Protocol):
    first_shown: SignalInstance
    point_asked: SignalInstance  # x, y
    cloud_asked: SignalInstance  # x, y, notches
    drag_began: SignalInstance  # index
    dragged: SignalInstance  # x, y
    drag_ended: SignalInstance
    removal_asked: SignalInstance  # index
    class_chosen: SignalInstance  # number
    clear_asked: SignalInstance
    undo_asked: SignalInstance
    redo_asked: SignalInstance
    set_asked: SignalInstance  # name, count
    setting_changed: SignalInstance
    resized: SignalInstance
    steps_toggled: SignalInstance  # on
    step_machine_chosen: SignalInstance  # name
    advance_asked: SignalInstance  # steps; -1: to the end
    restart_asked: SignalInstance
    tour_asked: SignalInstance  # name
    tour_moved: SignalInstance  # by
    tour_left: SignalInstance
    message: SignalInstance  # text

    def setting(self) -> dict[str, Any]: ...
    def set_setting(self, values: Mapping[str, Any]) -> None: ...
    def side(self, panels: int) -> int: ...
    def show_drawing(self, drawing: Drawing) -> None: ...
    def show_pictures(self, pictures: tuple[Picture, ...]) -> None: ...
    def show_hint(self, words: str) -> None: ...
    def show_undo(self, undo: bool, redo: bool) -> None: ...
    def show_tour(self, title: str, words: str, number: int, count: int) -> None: ...
    def show_steps(self, on: bool, machine: str, going: bool) -> None: ...


class PlaygroundPresenter(QObject):
    def __init__(self, view: PlaygroundView, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.view, self.workspace = view, workspace
        self.undo_stack = QUndoStack(self)
        self.drawing = drawn(FIRST_SET, FIRST_COUNT, workspace.seed)
        self.setting = FitOptions()
        self.refitting = Refitting(workspace.tasks, self)
        self.stepping = Stepping(workspace.tasks, self)
        self.exchange = Exchange(view, workspace, lambda: (self.drawing, self.setting), self._edit, self)
        self._shown = self._steps = False
        self._step_machine = SIX[0]
        self._class = 0
        self._chance = 0  # counts random draws, so that each cloud is different
        self._dragged: tuple[int, Drawing] | None = None  # the index of the point, and the drawing before
        self._tour: tuple[str, int] | None = None
        owner = view if isinstance(view, QObject) else self  # a page deletes its timer when it is deleted
        self._late = QTimer(owner, interval=LATE, singleShot=True)
        self._late.timeout.connect(self._say_waiting)
        self._waiting = False  # whether the canvas shows the hint that a computation is running
        self.memory = Memory(workspace.runs, lambda: (self.drawing, self.setting), self._remember, self)
        self._connect_edits()
        self._connect_rest()
        view.set_setting(self.setting.document())
        view.show_drawing(self.drawing)
        view.show_undo(False, False)
        self.memory.restore()

    @property
    def busy(self) -> bool:
        return self.refitting.busy or self.stepping.busy or self.stepping.going

    def _connect_edits(self) -> None:
        view, stack = self.view, self.undo_stack
        view.point_asked.connect(self.add_point)
        view.cloud_asked.connect(self.add_cloud)
        view.drag_began.connect(self._drag_began)
        view.dragged.connect(self._dragged_to)
        view.drag_ended.connect(self._drag_ended)
        view.removal_asked.connect(self.remove)
        view.class_chosen.connect(self._choose_class)
        view.clear_asked.connect(lambda: self._edit(tr("Clear the points"), Drawing.empty()))
        view.undo_asked.connect(stack.undo)
        view.redo_asked.connect(stack.redo)
        stack.indexChanged.connect(self._say_undo)
        view.set_asked.connect(self.draw_set)

    def _connect_rest(self) -> None:
        view = self.view
        view.first_shown.connect(self._begin)
        view.setting_changed.connect(self._setting_changed)
        view.resized.connect(self._resized)
        view.steps_toggled.connect(self.show_steps)
        view.step_machine_chosen.connect(self._choose_step_machine)
        view.advance_asked.connect(self._advance)
        view.restart_asked.connect(self._refresh)
        view.tour_asked.connect(lambda name: self._visit(name, 0))
        view.tour_moved.connect(self._move_on)
        view.tour_left.connect(self._leave_tour)
        view.message.connect(self.workspace.message)
        self.refitting.fitted.connect(lambda pictures: self._painted(pictures, steps=False))
        self.stepping.moved.connect(lambda pictures: self._painted(pictures, steps=True))
        for source in (self.refitting, self.stepping):
            source.failed.connect(self._failed)

    # -- edits ------------------------------------------------------------------------------------

    def add_point(self, x: float, y: float) -> None:
        if self._room():
            self._edit(tr("Add a point"), self.drawing.with_points(np.array([[x, y]]), self._class))

    def add_cloud(self, x: float, y: float, notches: int) -> None:
        if self._room():
            self._chance += 1
            places = cloud((x, y), PUFF * max(1, abs(notches)), SPREAD, self.workspace.seed + self._chance)
            self._edit(tr("Add a cloud"), self.drawing.with_points(places, self._class))

    def remove(self, index: int) -> None:
        if 0 <= index < len(self.drawing):
            self._edit(tr("Remove a point"), self.drawing.without(index))

    def draw_set(self, name: str, count: int) -> None:
        self._chance += 1
        self._edit(random_sets()[name].title, drawn(name, count, self.workspace.seed + self._chance))

    def _choose_class(self, number: int) -> None:
        self._class = min(max(number, 0), MOST_CLASSES - 1)

    def _room(self) -> bool:
        if not self.drawing.room:
            self.workspace.message.emit(tr("The limit of {count} points is reached.", count=MOST_POINTS))
        return self.drawing.room > 0

    def _drag_began(self, index: int) -> None:
        if 0 <= index < len(self.drawing):
            self._dragged = index, self.drawing

    def _dragged_to(self, x: float, y: float) -> None:
        if self._dragged is not None:
            self._show(self.drawing.moved(self._dragged[0], (x, y)))

    def _drag_ended(self) -> None:
        if self._dragged is None:
            return
        (_, before), self._dragged = self._dragged, None
        if not self.drawing.same_as(before):
            self.undo_stack.push(Edit(tr("Move a point"), before, self.drawing, self._show_edit))

    def _edit(self, words: str, after: Drawing) -> None:
        """Apply an edit that can be undone; it ends a drag, whose point may no longer exist."""
        self._dragged = None
        self.undo_stack.push(Edit(words, self.drawing, after, self._show_edit))

    def _remember(self, drawing: Drawing, setting: FitOptions) -> None:
        """Restore the state of another project; the edits before it cannot be undone."""
        self.undo_stack.clear()
        self._dragged = None
        self.setting = setting
        self.view.set_setting(setting.document())
        self._show(drawing)

    def _show(self, drawing: Drawing) -> None:
        if drawing is self.drawing:
            return
        self.drawing = drawing
        self.memory.changed()
        self.view.show_drawing(drawing)
        self._refresh()

    def _show_edit(self, drawing: Drawing) -> None:
        """Show the points after an edit or its undo; it ends a drag, whose point may no longer exist."""
        self._dragged = None
        self._show(drawing)

    def _say_undo(self) -> None:
        self.view.show_undo(self.undo_stack.canUndo(), self.undo_stack.canRedo())

    # -- fitting ----------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._shown = True
        self._refresh()

    def _setting_changed(self) -> None:
        values = self.view.setting()
        machines = tuple(values.pop("machines"))[:MOST_MACHINES]
        self.setting = replace(self.setting, machines=machines, **values)
        self.memory.changed()
        self._refresh()

    def _refresh(self) -> None:
        """Fit the current points, or show why that is impossible."""
        if not self._shown:
            return
        hint = self._hint()
        self.view.show_hint(hint)
        self._waiting = False
        self._late.stop() if hint else self._late.start()
        if hint:
            self.refitting.drop()
            self.stepping.drop()
            self.view.show_pictures(())
        elif self._steps:
            self.refitting.drop()
            self.stepping.restart(self.drawing, self.setting, self._step_machine, self.view.side(3))
        else:
            self.refitting.ask((self.drawing, self.setting, self.view.side(len(self.setting.machines))))
        self._say_steps()

    def _resized(self) -> None:
        if self._steps and self._shown and not self._hint():
            self.stepping.repaint(self.view.side(3))
        else:
            self._refresh()

    def _hint(self) -> str:
        if not len(self.drawing):
            return tr("Click to put points here, or choose a random set. Right click removes, the wheel makes clouds.")
        if not self.drawing.trainable:
            return tr("Choose another class above and click: there must be points of two classes at least.")
        if not self.setting.machines and not self._steps:
            return tr("Tick a machine at the left.")
        return ""

    def _painted(self, pictures: tuple[Picture, ...], *, steps: bool) -> None:
        """Show pictures, unless they are outdated by another mode or a cleared canvas."""
        if self._hint() or steps != self._steps:
            return
        self._stop_waiting()
        self.view.show_pictures(pictures)
        self._say_steps()

    def _say_waiting(self) -> None:
        """Show a hint if a picture takes long, for example while jobs use the processor."""
        if self.refitting.busy or self.stepping.busy:
            self._waiting = True
            jobs = bool(self.workspace.queue.active())
            self.view.show_hint(tr("Computing; running jobs slow this down…") if jobs else tr("Computing…"))

    def _stop_waiting(self) -> None:
        self._late.stop()
        if self._waiting:
            self._waiting = False
            self.view.show_hint("")

    def _failed(self, sentence: str) -> None:
        self._stop_waiting()
        self.view.show_pictures(())
        self.view.show_hint(sentence)

    # -- step mode --------------------------------------------------------------------------------

    def show_steps(self, on: bool) -> None:
        if on != self._steps:
            self._steps = on
            self.stepping.drop()
            self._refresh()

    def _choose_step_machine(self, name: str) -> None:
        self._step_machine = name
        if self._steps:
            self._refresh()

    def _advance(self, steps: int) -> None:
        if steps == TO_THE_END and self.stepping.going:
            self.stepping.pause()
        elif self._steps and not self._hint():
            self.stepping.advance(steps)
            self._late.start()
        self._say_steps()

    def _say_steps(self) -> None:
        self.view.show_steps(self._steps, self._step_machine, self.stepping.going)

    # -- tours ------------------------------------------------------------------------------------

    def show_tab(self, stop: str) -> None:
        """Show a stop of a tour on request of another page; `stop` holds the tour's name and the number."""
        name, number = stop.split()
        self._visit(name, int(number))

    def _visit(self, name: str, number: int) -> None:
        tour = tours()[name]
        self._tour = name, number
        stop = tour.stops[number]
        self._set_stage(stop)
        self.view.show_tour(tour.title, stop.text, number, len(tour.stops))

    def _set_stage(self, stop: Stop) -> None:
        self.setting = stop.setting
        self.memory.changed()
        self.view.set_setting(stop.setting.document())
        self._steps = stop.steps is not None
        self._step_machine = stop.setting.machines[0]
        drawing = drawn(stop.points, stop.count, 0)
        if not drawing.same_as(self.drawing):
            self._edit(random_sets()[stop.points].title, drawing)
        else:
            self._refresh()
        if stop.steps is not None:
            self._advance(stop.steps)

    def _move_on(self, by: int) -> None:
        if self._tour is None:
            return
        name, number = self._tour
        if 0 <= number + by < len(tours()[name].stops):
            self._visit(name, number + by)
        else:
            self._leave_tour()

    def _leave_tour(self) -> None:
        self._tour = None
        self.view.show_tour("", "", 0, 0)

    def close(self) -> None:
        """Cancel all fits, which then end at once."""
        self.refitting.drop()
        self.stepping.drop()


class Edit(QUndoCommand):
    """An edit of the points that can be undone."""

    def __init__(self, words: str, before: Drawing, after: Drawing, show: Callable[[Drawing], None]) -> None:
        super().__init__(words)
        self._before, self._after, self._show = before, after, show

    def redo(self) -> None:
        self._show(self._after)

    def undo(self) -> None:
        self._show(self._before)
