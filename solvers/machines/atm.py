"""ATM (unified view): one hinge per example, for the worst of all class functions, including the own one."""

from mcsvm.solvers.machines.form import Machine, absolute_form

MACHINE = Machine(
    name="atm",
    title="Absolute margin, worst of all classes",
    decides="all classes in one problem, the function furthest on its wrong side costs, sum zero; the largest wins",
    form=lambda classes, margin: absolute_form(classes, margin, "simplex", own=True, others=True),
)
