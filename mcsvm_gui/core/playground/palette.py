"""The numbers of a picture's pixels; the window paints them in the colours of its theme."""

BAND = 10  # 0..9: a class, within its margin; plus this: beyond it
LINE, MARGIN_LINE = 20, 21  # the border between classes, and a dash of a margin line
