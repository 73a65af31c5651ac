"""Lee, Lin & Wahba: the class functions sum to zero and every wrong one is pushed below minus the margin."""

from solvers.machines.form import Machine, absolute_form

MACHINE = Machine(
    name="llw",
    title="Lee-Lin-Wahba",
    decides="all classes in one problem, every wrong class function pushed down, their sum zero; the largest wins",
    form=lambda classes, margin: absolute_form(classes, margin, "box", own=False, others=True),
    margin=lambda classes: 1.0 / (classes - 1),
)
