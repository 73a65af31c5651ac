"""Read-only Markdown with pictures, formatted for reading, in the colours of the theme."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontDatabase,
    QImage,
    QImageReader,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser

from mcsvm_gui.ui.kit import theme
from mcsvm_gui.ui.kit.i18n import tr
from mcsvm_gui.ui.kit.theme import UNIT

CHAPTER = 2  # level of a chapter's heading
RESIZED = 80  # milliseconds after the last resize until pictures are fitted again


class GuideText(QTextBrowser):
    """Shows only local pictures, never wider than the text; links lead to chapters, by their place in the list."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("guideText")
        self.setAccessibleName(tr("Guide"))
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)  # so that the width is known at once
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2 * UNIT)
        self._markdown, self._folder, self._width = "", Path(), 0
        self._rest = QTimer(self, singleShot=True, interval=RESIZED)
        self._rest.timeout.connect(self._set_again)
        self._waiting: list[tuple[QUrl, Path, int]] = []
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._show_next)
        theme.notifier().changed.connect(self._set_again)

    def set_text(self, markdown: str, folder: Path) -> None:
        if markdown != self._markdown:
            self._markdown, self._folder = markdown, folder
            self._set()

    def _set(self) -> None:
        self._waiting.clear()
        self._width = self._room()
        self.setMarkdown(self._markdown)
        dress(self.document())

    def _set_again(self) -> None:
        """Format the text again, with the cursor and the scroll position unchanged: the text is the same."""
        at_top = self.cursorForPosition(self.viewport().rect().topLeft()).blockNumber()
        place = self.textCursor().position()
        self._set()
        cursor = self.textCursor()
        cursor.setPosition(place)
        self.setTextCursor(cursor)
        self.go_to(self.document().findBlockByNumber(at_top))

    def _room(self) -> int:
        return max(self.viewport().width() - 2 * int(self.document().documentMargin()), 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._markdown and self._room() != self._width:
            self._rest.start()

    # -- pictures ---------------------------------------------------------------------------------

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Return a blank image of the picture's size; the picture replaces it later, so that the text does not wait."""
        path = (self._folder / QUrl(name).path()).resolve()
        if not path.is_relative_to(self._folder.resolve()):
            return None
        size = QImageReader(str(path)).size()
        if not size.isValid():
            return None
        wide = min(size.width(), int(self._width * self.devicePixelRatioF()))
        room = QImage(wide, max(size.height() * wide // size.width(), 1), QImage.Format.Format_RGB32)
        room.fill(QColor(theme.current().raised))
        self._waiting.append((QUrl(name), path, room.width()))
        self._next.start()
        return self._sharp(room)

    def _sharp(self, picture: QImage) -> QImage:
        picture.setDevicePixelRatio(max(picture.width() / self._width, 1.0))
        return picture

    def _show_next(self) -> None:
        if self._waiting:
            name, path, wide = self._waiting.pop(0)
            picture = QImage(str(path)).convertToFormat(QImage.Format.Format_RGB32)
            picture = picture.scaledToWidth(wide, Qt.TransformationMode.SmoothTransformation)
            self.document().addResource(QTextDocument.ResourceType.ImageResource, name, self._sharp(picture))
            self.viewport().update()
            self._next.start()

    # -- places -----------------------------------------------------------------------------------

    def chapters(self) -> list[QTextBlock]:
        return [block for block in blocks(self.document()) if block.blockFormat().headingLevel() == CHAPTER]

    def go_to(self, block: QTextBlock) -> None:
        top = self.document().documentLayout().blockBoundingRect(block).top()
        self.verticalScrollBar().setValue(int(top) - UNIT)

    def seek(self, text: str, *, backwards: bool = False) -> bool:
        """Go to the next match, and continue at the other end of the text after the last one."""
        flags = QTextDocument.FindFlag.FindBackward if backwards else QTextDocument.FindFlag(0)
        if self.find(text, flags):
            return True
        cursor = self.textCursor()
        cursor.movePosition(cursor.MoveOperation.End if backwards else cursor.MoveOperation.Start)
        self.setTextCursor(cursor)
        return self.find(text, flags)


def blocks(document: QTextDocument) -> list[QTextBlock]:
    found, block = [], document.begin()
    while block.isValid():
        found.append(block)
        block = block.next()
    return found


# -- formatting -----------------------------------------------------------------------------------


def dress(document: QTextDocument) -> None:
    """Set margins around headings, lines and code, which Markdown cannot set."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for block in blocks(document):
        _dress_block(QTextCursor(block))
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            _dress_table(frame)
    cursor.endEditBlock()


def _dress_block(cursor: QTextCursor) -> None:
    shape = cursor.blockFormat()
    level, code = shape.headingLevel(), is_code(cursor.block())
    inside = cursor.currentTable() is not None or (code and is_code(cursor.block().next()))
    shape.setTopMargin(3 * UNIT if level == CHAPTER else 0)
    shape.setBottomMargin(0 if inside else UNIT)
    if not code:
        shape.setLineHeight(120, 1)  # per cent
    if code:
        shape.setNonBreakableLines(False)
        shape.setBackground(QBrush(QColor(theme.current().raised)))
    cursor.setBlockFormat(shape)
    _dress_code(cursor, whole=code)


def is_code(block: QTextBlock) -> bool:
    return block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence)


def _dress_code(cursor: QTextCursor, *, whole: bool) -> None:
    """Use the system's own fixed-pitch font; Qt would take any font that is called "monospace"."""
    face = QTextCharFormat()
    face.setFontFamilies([QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()])
    if not whole:
        face.setBackground(QBrush(QColor(theme.current().raised)))
    piece = cursor.block().begin()
    while not piece.atEnd():
        part = piece.fragment()
        if part.charFormat().fontFixedPitch():
            cursor.setPosition(part.position())
            cursor.setPosition(part.position() + part.length(), cursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(face)
        piece += 1


def _dress_table(table: QTextTable) -> None:
    shape = table.format()
    shape.setCellPadding(UNIT // 2)
    shape.setCellSpacing(0)
    shape.setBorder(1)
    shape.setBorderCollapse(True)
    shape.setBorderBrush(QBrush(QColor(theme.current().line)))
    shape.setTopMargin(UNIT)
    shape.setBottomMargin(2 * UNIT)
    table.setFormat(shape)
