"""The numbers of a picture's pixels: what they stand for is painted by the window, in the colours of its theme."""

BAND = 10  # 0..9: a class, within its margin; with this added: beyond it
LINE, MARGIN_LINE = 20, 21  # where the decision changes, and a dash of a margin line
