"""Lee, Lin & Wahba: class functions of sum zero; one hinge for each wrong class c, of the margin plus f_c."""

from mcsvm.solvers.machines.form import Machine, absolute_form

MACHINE = Machine(
    name="llw",
    title="Lee-Lin-Wahba",
    decides="all classes in one problem, every wrong class function pushed down, their sum zero; the largest wins",
    form=lambda classes, margin: absolute_form(classes, margin, "box", own=False, others=True),
    margin=lambda classes: 1.0 / (classes - 1),
)
