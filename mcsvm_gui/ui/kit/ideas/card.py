"""An idea as a card, and rows of as many cards as fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QVBoxLayout, QWidget

from mcsvm_gui.core.base.resources import folder
from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.buttons import push_button
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.ideas.table import Idea
from mcsvm_gui.ui.kit.labels import wrapped
from mcsvm_gui.ui.kit.theme import UNIT

WIDTH = 35 * UNIT
DENSITY = 2.0  # pixels of a picture per pixel of a window at 100%


class IdeaCard(QFrame):
    asked = Signal(str)  # the stop of a tour

    def __init__(self, name: str, idea: Idea) -> None:
        super().__init__()
        self.setObjectName(f"idea-{name}")
        self.setFixedWidth(WIDTH)
        self._title, self._picture, self._text = QLabel(), QLabel(), QLabel()
        self._title.setProperty("role", "heading")
        self._text.setProperty("role", "muted")
        for label in (self._title, self._text):
            label.setWordWrap(True)
        self._picture.setAlignment(Qt.AlignmentFlag.AlignLeft)
        self._more = push_button("ideaTourButton", tr("See it in the playground"))
        self._more.clicked.connect(lambda: self.asked.emit(self._idea.tour))
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(UNIT)
        for part in (self._title, self._picture, self._text):
            column.addWidget(part)
        column.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        theme.notifier().changed.connect(self._paint)
        self.show_idea(name, idea)

    def show_idea(self, name: str, idea: Idea) -> None:
        self._name, self._idea = name, idea
        self._title.setText(idea.title)
        self._text.setText(idea.text)
        self._picture.setAccessibleName(idea.title)
        self._more.setVisible(bool(idea.tour))
        self._more.setAccessibleName(f"{self._more.text()}: {idea.title}")
        self._paint()

    def _paint(self) -> None:
        shade = "dark" if theme.current().dark else "light"
        picture = QPixmap(str(folder() / "pictures" / "ideas" / f"{self._name}-{shade}.png"))
        picture.setDevicePixelRatio(DENSITY)
        self._picture.setPixmap(picture)

    def fit(self, height: int) -> bool:
        """Return whether the card fits, if necessary without its button and with less space."""
        for compact in (False, True):
            self._more.setVisible(bool(self._idea.tour) and not compact)
            self._column.setSpacing(UNIT // 2 if compact else UNIT)
            if self.wanted_height() <= height:
                return True
        return False

    def wanted_height(self) -> int:
        column = self._column
        return column.totalHeightForWidth(WIDTH) if column.hasHeightForWidth() else column.totalSizeHint().height()


class IdeaRow(QWidget):
    """Shows as many cards as the width allows; cards that are too tall are hidden."""

    asked = Signal(str)

    def __init__(self, cards: Sequence[IdeaCard]) -> None:
        super().__init__()
        self.cards = tuple(cards)
        row = QHBoxLayout(self)
        row.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4 * UNIT)
        row.addStretch(1)
        for card in self.cards:
            row.addWidget(card, 0, Qt.AlignmentFlag.AlignTop)
            card.asked.connect(self.asked)
        row.addStretch(1)

    def minimumSizeHint(self) -> QSize:
        """Return an empty size, so that the row gives way to other widgets."""
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = (self.width() + 4 * UNIT) // (WIDTH + 4 * UNIT)
        fitting = [card for card in self.cards if card.fit(self.height())][:room]
        for card in self.cards:
            card.setVisible(card in fitting)


class Invitation(QWidget):
    """The next action on a page that is still empty, and ideas to read until then."""

    asked = Signal(str)

    def __init__(self, name: str, cards: Mapping[str, Idea]) -> None:
        super().__init__()
        self.words = wrapped(name, "muted")
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.row = IdeaRow([IdeaCard(key, idea) for key, idea in cards.items()])
        self.row.asked.connect(self.asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2 * UNIT, 0, 0)
        column.setSpacing(3 * UNIT)
        column.addWidget(self.words)
        column.addWidget(self.row, 1)


class RoomForCard(QWidget):
    """A place below a scrolling form; its card is shown if the form leaves enough room."""

    def __init__(self, form: QWidget, area: QWidget, card: IdeaCard) -> None:
        super().__init__()
        self._form, self._area, self.card = form, area, card
        column = QVBoxLayout(self)
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(card)
        card.hide()
        for watched in (form, area):
            watched.installEventFilter(self)

    def minimumSizeHint(self) -> QSize:
        """Return an empty size, so that the card gives way to the form."""
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def eventFilter(self, watched: QWidget, event: QEvent) -> bool:  # type: ignore[override]
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.fit()
        return super().eventFilter(watched, event)

    def fit(self) -> None:
        empty = self._area.height() + self.height() * self.card.isVisible() - self._form.sizeHint().height()
        self.card.setVisible(empty >= self.card.wanted_height() + 2 * UNIT)
