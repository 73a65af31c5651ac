"""ATS (unified view): one hinge for each class function, including the own one."""

from mcsvm.solvers.machines.form import Machine, absolute_form

MACHINE = Machine(
    name="ats",
    title="Absolute margin, sum over all classes",
    decides="all classes in one problem, every function on its wrong side costs, their sum zero; the largest wins",
    form=lambda classes, margin: absolute_form(classes, margin, "box", own=True, others=True),
)
